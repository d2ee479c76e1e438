import Cryptography
import Testing

@testable import NotificationService

@Suite("DKIM relaxed canonicalization")
struct DKIMCanonicalTests {
    @Test(
        "RFC 6376, 3.4.4: bodies are canonicalized as the relaxed algorithm says",
        arguments: [
            ("", ""), ("\r\n", ""), ("\r\n\r\n\r\n", ""), ("a", "a\r\n"), ("a\r\n", "a\r\n"),
            ("a\r\n\r\n", "a\r\n"), ("a\r\n\r\nb\r\n", "a\r\n\r\nb\r\n"),
            (" C \r\nD \t E\r\n\r\n\r\n", " C\r\nD E\r\n"), ("\ta\t\t b\r\n", " a b\r\n"),
            ("  \r\n \t\r\n", ""), ("a\r\n  \r\n\r\nb", "a\r\n\r\n\r\nb\r\n"),
            ("a\nb", "a\r\nb\r\n"),
        ])
    func bodies(_ body: String, _ canonical: String) {
        let result = DKIMCanonical.body(Array(body.utf8))
        #expect(String(decoding: result, as: UTF8.self) == canonical)
    }

    @Test(
        "RFC 6376, 3.4.2: header fields are canonicalized as the relaxed algorithm says",
        arguments: [
            ("A", "X", "a:X"), ("B", "Y\t\r\n \tZ  ", "b:Y Z"),
            ("SUBJect", "  a  b\t", "subject:a b"),
            ("To", "", "to:"), ("From", "a\r\n  b", "from:a b"),
        ])
    func fields(_ name: String, _ value: String, _ canonical: String) {
        let result = DKIMCanonical.field(MailHeader.Field(name, value))
        #expect(String(decoding: result, as: UTF8.self) == canonical)
    }
}
