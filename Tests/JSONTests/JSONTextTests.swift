import JSON
import Testing

@Suite("Texts as JSON strings")
struct JSONTextTests {
    @Test(
        "a text is cut after whole characters and whole escapes",
        arguments: [
            ("", 0, ""), ("a", 0, "…"), ("abcd", 4, "abcd"), ("abcde", 4, "abcd…"),
            ("ab\"cd", 4, "ab\\\"…"), ("abc\"d", 4, "abc…"), ("ab\"", 4, "ab\\\""),
            ("abc\u{1}", 4, "abc…"), ("\u{1}", 6, "\\u0001"), ("éé", 4, "éé"),
            ("ééa", 4, "éé…"), ("abcé", 4, "abc…"), ("aé\u{7F}b", 3, "aé…"),
        ])
    func cut(text: String, bytesMax: Int, written: String) {
        var bytes: [UInt8] = []
        JSONText.append(text, to: &bytes, .shown, bytesMax: bytesMax)
        #expect(String(decoding: bytes, as: UTF8.self) == "\"\(written)\"")
    }

    @Test("characters are escaped at every place of a text")
    func escaped() {
        for (text, escape) in [("\"", "\\\""), ("\\", "\\\\"), ("\u{2028}", "\\u2028"), ("é", "é")]
        {
            for (before, after) in [("", ""), ("a", ""), ("", "b"), ("ab", "cd"), (text, text)] {
                let whole = JSONWriter.text(.string(before + text + after), .shown)
                let (first, last) = before == text ? (escape, escape) : (before, after)
                #expect(whole == "\"\(first)\(escape)\(last)\"")
            }
        }
    }
}
