import JSON
import Testing

@Suite("The objects of a list are found without reading them")
struct JSONListTests {
    private func objects(_ text: String, countMax: Int = 3) throws -> [String] {
        let bytes = Array(text.utf8)
        return try JSONReader.objects(ofList: "a", in: bytes, countMax: countMax)
            .map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test("each is found from its first brace to its last, whatever is in its texts")
    func found() throws {
        let parts = [
            "{}", #"{"b":[{"c":{}},"}]"]}"#, #"{ "\"}" : "\\" }"#, #"{"d": "{[\u0022"}"#,
        ]
        let text = " {\n\"a\" : [ \(parts.joined(separator: " ,\t")) ] }\r\n"
        #expect(try objects(text, countMax: 4) == parts)
        #expect(try objects(#"{"a":[]}"#) == [])
        #expect(try objects(#"{"\u0061":[ ]}"#) == [])
    }

    @Test(
        "a text of another form is refused",
        arguments: [
            "", "{}", "[]", "null", #"{"a":{}}"#, #"{"a":[}"#, #"{"a":[1]}"#, #"{"a":[{}}"#,
            #"{"a":[{}]"#, #"{"a":[{}]} x"#, #"{"a":[{"b":"]}"#, #"{"a":[{"b":"\"#,
            #"{"b":[{}]}"#, #"{"a":[{}],"b":1}"#, #"{"a"#, #"{"a":[{},]}"#, #"{"a":[{} {}]}"#,
            #"{"a":[[{}]]}"#, #"{"a":[{"#, #"{a:[]}"#,
        ])
    func refused(text: String) {
        #expect(throws: JSONError.self) { try objects(text) }
    }

    @Test("the number of objects is limited exactly; their nesting is not")
    func limits() throws {
        #expect(try objects(#"{"a":[{},{},{}]}"#).count == 3)
        #expect(throws: JSONError.self) { try objects(#"{"a":[{},{},{},{}]}"#) }
        let deep = String(repeating: "[", count: 1_000_000)
        #expect(throws: JSONError.self) { try objects(#"{"a":[{"b":"# + deep) }
        let closed = deep + String(repeating: "]", count: 1_000_000)
        #expect(try objects(#"{"a":[{"b":\#(closed)}]}"#).count == 1)
    }

    @Test("every truncation of a list is refused")
    func truncations() throws {
        let text = #"{"a":[{"b":"\u00e9"},{"c":[1,{}]}]}"#
        #expect(try objects(text).count == 2)
        for count in 0..<text.utf8.count {
            #expect(throws: JSONError.self) { try objects(String(text.prefix(count))) }
        }
    }

    @Test("a part of the bytes is read where it is, and nothing beside it")
    func part() throws {
        let bytes = Array(#"[true,{"a":[1, null]},false]"#.utf8)
        let options = JSONReader.Options()
        #expect(
            try JSONReader.value(in: bytes, at: 6..<21, options)
                == .object(["a": .array([.integer(1), .null])]))
        for range in [6..<20, 6..<22, 5..<21, 1..<4, 6..<6] {
            #expect(throws: JSONError.self) { try JSONReader.value(in: bytes, at: range, options) }
        }
        let error = #expect(throws: JSONError.self) {
            try JSONReader.value(in: bytes, at: 11..<19, options)
        }
        #expect(error?.position == 19)
    }
}
