import Testing

@testable import NotificationService

@Suite("Text in header fields")
struct HeaderTextTests {
    @Test(
        "CWE-93: a line break or another invisible character is rejected",
        arguments: [
            "", "a\r\nBcc: eve@evil.example", "a\nb", "a\rb", "a\u{0}b", "a\tb", "a\u{85}b",
            "a\u{2028}b", "a\u{7f}", String(repeating: "a", count: 401),
        ])
    func refused(_ text: String) {
        #expect(HeaderText(text) == nil)
    }

    @Test(
        "RFC 2047: text that is not ASCII, or looks encoded, is encoded and decodes unchanged",
        arguments: [
            ("Hello", "Hello"),
            ("Grüße", "=?utf-8?B?R3LDvMOfZQ==?="),
            ("=?utf-8?B?AA==?=", "=?utf-8?B?PT91dGYtOD9CP0FBPT0/PQ==?="),
            (" x", "=?utf-8?B?IHg=?="),
        ])
    func unstructured(_ text: String, _ written: String) throws {
        let header = try #require(HeaderText(text))
        #expect(header.unstructured == written)
        #expect(EncodedWords.decode(header.unstructured) == text)
    }

    @Test("long text is folded into encoded words of at most 75 characters and loses nothing")
    func long() throws {
        let text = String(repeating: "日本語é🔐 ", count: 22)
        let header = try #require(HeaderText(text))
        let lines = header.unstructured.split(separator: "\r\n")
        #expect(lines.count > 1)
        #expect(lines.allSatisfy { $0.utf8.count <= 76 })
        #expect(EncodedWords.decode(header.unstructured.replacing("\r\n", with: "")) == text)
    }

    @Test(
        "a display name cannot close its own quotes",
        arguments: [
            ("Postern", "Postern"), ("Ada, Inc.", "\"Ada, Inc.\""),
            ("a\" <eve@evil.example> \"", "\"a\\\" <eve@evil.example> \\\"\""),
            ("a\\", "\"a\\\\\""), ("Füße", "=?utf-8?B?RsO8w59l?="),
        ])
    func phrase(_ text: String, _ written: String) throws {
        #expect(try #require(HeaderText(text)).phrase == written)
    }
}
