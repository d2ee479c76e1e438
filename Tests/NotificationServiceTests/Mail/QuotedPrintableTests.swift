import ServiceRuntime
import TestSupport
import Testing

@testable import NotificationService

@Suite("Quoted-printable encoding")
struct QuotedPrintableTests {
    private func encode(_ text: String) -> [UInt8] {
        var encoded: [UInt8] = []
        QuotedPrintable.encode(text, into: &encoded)
        return encoded
    }

    @Test(
        "RFC 2045, 6.7: examples encode as the RFC says",
        arguments: [
            ("hello", "hello\r\n"), ("a=b", "a=3Db\r\n"), ("ü", "=C3=BC\r\n"),
            ("end \nnext", "end=20\r\nnext\r\n"), (".\n..x", "=2E\r\n=2E.x\r\n"),
            ("tab\t", "tab=09\r\n"), ("a \r\nb\r", "a=20\r\nb=0D\r\n"),
            (String(repeating: "a", count: 76), String(repeating: "a", count: 76) + "\r\n"),
            (
                String(repeating: "a", count: 77),
                String(repeating: "a", count: 75) + "=\r\naa\r\n"
            ),
        ])
    func examples(_ text: String, _ encoded: String) {
        #expect(encode(text) == Array(encoded.utf8))
    }

    @Test("every text decodes unchanged, and no line exceeds 76 bytes or begins with a dot")
    func roundTrip() {
        let randomness = SeededRandomness(seed: 7)
        let alphabet = Array("aé=. \n\tß🔐\u{0}-").map(String.init)
        for _ in 0..<500 {
            let length = Int(randomness.next() % 200)
            let text = (0..<length).map { _ in alphabet[Int(randomness.next() % 11)] }.joined()
            let encoded = String(decoding: encode(text), as: UTF8.self)
            let lines = encoded.split(separator: "\r\n", omittingEmptySubsequences: false)
            #expect(lines.allSatisfy { $0.utf8.count <= 76 && !$0.hasPrefix(".") })
            let unix = encoded.replacing("\r\n", with: "\n")
            #expect(QuotedPrintable.decode(unix) == text + "\n")
        }
    }
}
