import JSON
import Testing

@Suite("JSON values of any kind are parsed strictly, with exact numbers")
struct JSONValueTests {
    private static let depthMax = 64
    private let options = JSONReader.Options(
        depthMax: depthMax, membersMax: .max, retainsNumberTexts: true, acceptsNUL: true)

    private func read(_ text: String) throws -> JSONValue {
        try JSONReader.value(in: Array(text.utf8), options)
    }

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
        #expect(throws: JSONError.self) { try read(text) }
    }

    @Test("each kind of value is read, and printed back")
    func values() throws {
        let text = "{\"a\":[null,true,false,0,-1.5e+10,\"\"],\"b\":{},\"c\":[[]],\"é\":\"日本\"}"
        #expect(JSONWriter.text(try read(text), .shown) == text)
    }

    @Test("escapes are decoded")
    func decoded() throws {
        let value = try read("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDD11\"")
        #expect(value == .string("\"\\/\u{8}\u{c}\n\r\té🔑"))
    }

    @Test("nesting deeper than any message is rejected before the stack overflows")
    func depth() throws {
        _ = try read(nested(Self.depthMax))
        for depth in [Self.depthMax + 1, 1_000_000] {
            #expect(throws: JSONError.self) { try read(nested(depth)) }
        }
    }

    @Test("numbers retain their texts, and a NUL in a text is accepted")
    func exact() throws {
        for number in ["18446744073709551615", "-0", "1e999", "1.50", "0.1E-3"] {
            #expect(try read(number) == .number(number))
        }
        #expect(try read("\"a\\u0000\"") == .string("a\0"))
    }

    @Test("an error is reported with its position")
    func position() {
        #expect(throws: JSONError.self) { try read("{\"a\":1,}") }
        let errors = [
            ("", "not JSON at byte 0: not a JSON value"),
            ("{\"a\":1,}", "not JSON at byte 7: a name in quotes is missing"),
            ("{\"a\":1,\"a\":2}", "not JSON at byte 10: \"a\" appears twice"),
            ("[1] 2", "not JSON at byte 4: unexpected text"),
        ]
        for (text, message) in errors {
            do {
                _ = try read(text)
                Issue.record("\(text) was read")
            } catch {
                #expect("\(error)" == message)
            }
        }
    }

    @Test("control characters of a terminal are escaped in text for people")
    func escapes() throws {
        let text = "\u{1b}[31m\u{9b}\u{7f}\u{2028}\u{202e}\n\t\"\\é"
        #expect(
            JSONWriter.text(.string(text), .shown)
                == #""\u001b[31m\u009b\u007f\u2028\u202e\n\t\"\\é""#)
        #expect(
            JSONWriter.text(.string("\u{1b}\n\u{9b}"), .required)
                == "\"\\u001b\\u000a\u{9b}\"")
    }

    @Test(
        "a text is escaped wherever it needs it, and only there",
        arguments: [
            ("", ""), ("a", "a"), (" ~", " ~"), ("\u{1f}", #"\u001f"#), ("ab\"", #"ab\""#),
            ("\\ab", #"\\ab"#), ("a\u{7f}b", #"a\u007fb"#), ("a\u{80}", #"a\u0080"#),
            ("\u{a0}é😀z", "\u{a0}é😀z"), ("é\n", #"é\n"#), ("a\u{0}", #"a\u0000"#),
        ])
    func escaped(text: String, expected: String) {
        var bytes: [UInt8] = [1]
        JSONText.append(text, to: &bytes, .shown)
        #expect(bytes == [1] + Array("\"\(expected)\"".utf8))
        #expect(JSONWriter.bytes(.string(text), .shown) == Array("\"\(expected)\"".utf8))
    }

    @Test(
        "a text of exactly the limit is whole, and a longer one is cut between characters",
        arguments: [
            ("abc", "abc"), ("abcd", "abc…"), ("a\n", #"a\n"#), ("ab\n", "ab…"), ("abé", "ab…"),
            ("aé", "aé"), ("\n\n", #"\n…"#),
        ])
    func cut(text: String, expected: String) {
        var bytes: [UInt8] = []
        JSONText.append(text, to: &bytes, .shown, bytesMax: 3)
        #expect(bytes == Array("\"\(expected)\"".utf8))
    }

    @Test(
        "a string is the same wherever its escapes are",
        arguments: [
            (#""""#, ""), (#""abc""#, "abc"), (#""\nabc""#, "\nabc"), (#""ab\nc""#, "ab\nc"),
            (#""abc\n""#, "abc\n"), (#""\n""#, "\n"), (#""\n\n""#, "\n\n"),
            (#""é\u00e9é""#, "ééé"), (#""\"""#, "\""), (#""\\""#, "\\"),
            (#""a\\\"b""#, "a\\\"b"),
        ])
    func strings(text: String, expected: String) throws {
        #expect(try read(text) == .string(expected))
        let object = JSONValue.object([expected: .string(expected)])
        #expect(try read("{\(text):\(text)}") == object)
    }

    @Test("bytes that are not UTF-8 are refused before, between and after escapes")
    func invalidText() {
        for text: [UInt8] in [
            [0xFF], [0xC3], [0x5C, 0x6E, 0xFF], [0xFF, 0x5C, 0x6E], [0x5C, 0x6E, 0xFF, 0x5C, 0x6E],
            // The two halves of one character around an escape.
            [0xC3, 0x5C, 0x6E, 0xA9],
        ] {
            #expect(throws: JSONError.self) {
                try JSONReader.value(in: [0x22] + text + [0x22], options)
            }
        }
    }

    @Test("a name that appears twice is refused in small and large objects", arguments: 1...20)
    func repeatedName(count: Int) throws {
        let names = (0..<count).map { "n\($0)" }
        func text(_ names: [String]) -> String {
            "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        }
        #expect(try read(text(names)).object?.members.map(\.name) == names)
        for name in names {
            #expect(throws: JSONError.self) { try read(text(names + [name])) }
            #expect(throws: JSONError.self) { try read(text(names + ["other", name])) }
        }
        // The same text in another normal form is the same name.
        #expect(throws: JSONError.self) { try read(text(["\u{e9}"] + names + ["e\u{301}"])) }
    }

    private func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
    }
}
