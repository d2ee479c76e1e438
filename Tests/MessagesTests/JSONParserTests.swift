import Testing

@testable import Messages

@Suite("JSON texts are parsed strictly")
struct JSONParserTests {
    @Test(
        "texts that RFC 8259 forbids, or that parsers read differently, are rejected",
        arguments: [
            "", " ", "nul", "tru", "truex", "{", "[", "\"", "{]", "[1,]", "{\"a\":1,}", "{\"a\"}",
            "{a:1}",
            "{\"a\":1}}", "[1] 2", "01", "-", "1.", ".5", "1e", "1e+", "+1", "NaN", "Infinity",
            "'a'",
            "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"a\nb\"",
            "\"\t\"", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "// a", "\u{feff}{}", "[1 2]",
        ])
    func refused(text: String) {
        #expect(throws: MappingError.self) { try JSONParser.tree(of: text) }
    }

    @Test("each kind of value is read, and printed back")
    func values() throws {
        let text = "{\"a\":[null,true,false,0,-1.5e+10,\"\"],\"b\":{},\"c\":[[]],\"é\":\"日本\"}"
        let tree = try JSONParser.tree(of: text)
        #expect(JSONPrinter.text(of: tree, isPretty: false) == text)
    }

    @Test("escapes are decoded")
    func escapes() throws {
        let tree = try JSONParser.tree(of: "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDD11\"")
        #expect(tree == .string("\"\\/\u{8}\u{c}\n\r\té🔑"))
    }

    @Test("nesting deeper than any message is rejected before the stack overflows")
    func depth() throws {
        _ = try JSONParser.tree(of: nested(JSONParser.depthMax - 1))
        for depth in [JSONParser.depthMax, 1_000_000] {
            #expect(throws: MappingError.self) { try JSONParser.tree(of: nested(depth)) }
        }
    }

    @Test("a text over the size limit is rejected")
    func size() {
        let text = "\"" + String(repeating: "a", count: JSONParser.textBytesMax) + "\""
        #expect(throws: MappingError.self) { try JSONParser.tree(of: text) }
    }

    private func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
    }
}
