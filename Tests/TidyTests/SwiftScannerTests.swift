import Testing

@Suite("The scanner that the rules read Swift with")
struct SwiftScannerTests {
    @Test(
        "comments and strings are replaced by spaces; code and interpolated code stay",
        arguments: [
            ("let a = 1 // Date()", "let a = 1          "),
            ("/* a /* b */ c */x", "                 x"),
            ("f(\"print(\")", "f(        )"),
            ("f(\"\\(g())\")", "f(   g()) )"),
            ("#\"a\"b\"#+1", "       +1"),
            ("\"\\\"\"+1", "    +1"),
            ("\"\"\"\n\"x\"\n\"\"\";y", "   \n   \n   ;y"),
        ])
    func blanks(text: String, expected: String) {
        var scanner = SwiftScanner(Array(text.utf8))
        #expect(String(decoding: scanner.blanked(), as: UTF8.self) == expected)
    }
}
