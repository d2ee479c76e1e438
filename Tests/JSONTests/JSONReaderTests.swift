import JSON
import Testing

@Suite("Strict JSON")
struct JSONReaderTests {
    private func read(_ text: String) -> JSONObject? { JSONReader.object(in: Array(text.utf8)) }

    @Test("an object with all kinds of values is read, and written in order without spaces")
    func all() {
        let text = """
             { "b":[1,-2, 0 ],"a" : {"x":null},"t":true,"f":false,"r":1.5e3,\t"s":"\\u00e9\\ud83d\\ude00\\n\\"/"}\r
            """
        let object = read(text)
        #expect(object?["b"] == .array([.integer(1), .integer(-2), .integer(0)]))
        #expect(object?["a"] == .object(["x": .null]))
        #expect(object?["r"] == .real(1_500))
        #expect(object?["s"] == .string("é😀\n\"/"))
        let written =
            #"{"b":[1,-2,0],"a":{"x":null},"t":true,"f":false,"r":1500.0,"s":"é😀\u000a\"/"}"#
        #expect(object.map(JSONWriter.text) == written)
        #expect(read(written) == object)
    }

    @Test(
        "integers of up to 64 bits are read and written as they are; longer ones are real numbers")
    func integers() {
        let texts = [
            "0", "7", "-1", "10", "999999999999999999", "1000000000000000000",
            "-99999999999999999", "-999999999999999999", "9223372036854775807",
            "-9223372036854775808",
        ]
        for text in texts {
            let object = read("{\"a\":\(text)}")
            #expect(object?["a"] == Int64(text).map { .integer($0) })
            #expect(object.map(JSONWriter.text) == "{\"a\":\(text)}")
        }
        #expect(read("{\"a\":-0}")?["a"] == .integer(0))
        #expect(read("{\"a\":9223372036854775808}")?["a"] == .real(0x1p63))
        #expect(read("{\"a\":10000000000000000000}")?["a"] == .real(1e19))
    }

    @Test(
        "a text that is not exactly one valid object is rejected",
        arguments: [
            "", "[]", "1", "\"a\"", "{", "}", "{}x", "{} {}", "x{}", "{\"a\"}", "{\"a\":}", "{a:1}",
            "{\"a\":1,}", "{,}", "{\"a\":1 \"b\":2}", "{'a':1}", "{\"a\":[1,]}", "{\"a\":[}",
            "{\"a\":01}", "{\"a\":+1}", "{\"a\":.5}", "{\"a\":1.}", "{\"a\":1e}", "{\"a\":-}",
            "{\"a\":1e999}", "{\"a\":NaN}", "{\"a\":tru}", "{\"a\":True}", "{\"a\":\"\n\"}",
            "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"\\u0000\"}", "{\"a\":\"\\ud800\"}",
            "{\"a\":\"\\ud800\\u0041\"}", "{\"a\":\"\\udc00\"}", "{\"a\":\"", "{\"a\":\"\\",
            "{\"a\":1,\"a\":1}", "{\"a\":1,\"\\u0061\":2}", "{\"a\":{\"b\":1,\"b\":2}}",
            "\u{FEFF}{}",
            "{\"a\":1/**/}", "{\"a\":[[[[[[[]]]]]]]}",
        ])
    func refused(text: String) {
        #expect(read(text) == nil)
    }

    @Test("a caller may raise the maximum depth, which then holds exactly")
    func depth() {
        let seven = Array(#"{"a":[[[[[[]]]]]]}"#.utf8)
        #expect(JSONReader.object(in: seven) == nil)
        #expect(JSONReader.object(in: seven, depthMax: 7) != nil)
        let filled = Array(#"{"a":[[[[[[1]]]]]]}"#.utf8)
        #expect(JSONReader.object(in: filled, depthMax: 7) != nil, "a number is no level")
        #expect(JSONReader.object(in: Array(#"{"a":[[[[[[[]]]]]]]}"#.utf8), depthMax: 7) == nil)
    }

    @Test("bytes that are not UTF-8 are rejected")
    func invalidText() {
        for bad: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]] {
            #expect(JSONReader.object(in: Array("{\"a\":\"".utf8) + bad + Array("\"}".utf8)) == nil)
        }
    }

    @Test("every truncation of a valid object is rejected")
    func truncations() {
        let text = #"{"a":[1,{"b":"\u00e9"}],"c":-1.5e3,"d":true}"#
        #expect(read(text) != nil)
        for count in 0..<text.utf8.count {
            #expect(JSONReader.object(in: Array(text.utf8.prefix(count))) == nil)
        }
    }

    @Test("64 members are read and 65 are rejected; a number beyond 64 bits is not an integer")
    func limits() {
        func wide(_ count: Int) -> String {
            "{" + (0..<count).map { "\"m\($0)\":0" }.joined(separator: ",") + "}"
        }
        #expect(read(wide(64))?.members.count == 64)
        #expect(read(wide(65)) == nil)
        #expect(read(#"{"n":9223372036854775807}"#)?["n"] == .integer(.max))
        #expect(read(#"{"n":9223372036854775808}"#)?["n"]?.integer == nil)
    }

    @Test("a reader that refuses large integers accepts those of 64 bits, and reals")
    func largeIntegers() throws {
        let options = JSONReader.Options(refusesLargeIntegers: true)
        func read(_ text: String) throws -> JSONValue {
            try JSONReader.value(in: Array(text.utf8), options)
        }
        #expect(try read("-9223372036854775808") == .integer(.min))
        #expect(try read("1.8446744073709552e+19") == .real(18_446_744_073_709_551_616))
        for text in ["9223372036854775808", "-9223372036854775809", "18446744073709551615"] {
            #expect(throws: JSONError.self) { try read(text) }
        }
    }
}
