import Testing

@testable import NotificationService

@Suite("Email addresses")
struct MailAddressTests {
    @Test(
        "a valid address is accepted",
        arguments: [
            "ada@example.org", "a@b", "first.last+tag@mail.example.co.uk", "o'neil@example.org",
            "x@xn--bcher-kva.example", "jörg@example.org", "用户@example.org", "a@1.2",
        ])
    func valid(_ text: String) throws {
        let address = try #require(MailAddress(text))
        #expect(address.text == text)
        #expect(text.hasSuffix("@" + address.domain))
    }

    @Test(
        "anything else is rejected: line breaks, brackets, a second address, invisible characters",
        arguments: [
            "", "ada", "@example.org", "ada@", "a@b@c", "a@b\r\nBcc: eve@evil.example",
            "a\r\nb@example.org", "a@example.org\n", " a@example.org", "a b@example.org",
            "a@exa mple.org", "<a@example.org>", "Ada <a@example.org>", "a@b,c@d", "a@b;c@d",
            "\"a b\"@example.org", ".a@example.org", "a.@example.org", "a..b@example.org",
            "a@.example.org", "a@example.org.", "a@-b.org", "a@b-.org", "a@bücher.example",
            "a@[127.0.0.1]", "a\u{200b}b@example.org", "a\u{202e}b@example.org",
            "a\u{a0}b@example.org", "a\u{0}@example.org", "a\u{7f}@example.org",
            "a(comment)@example.org", "a@b:25", "a\\@example.org",
            String(repeating: "a", count: 65) + "@example.org",
            "a@" + String(repeating: "b", count: 64) + ".org",
            "a@" + Array(repeating: "bbbbbbb", count: 40).joined(separator: "."),
        ])
    func invalid(_ text: String) {
        #expect(MailAddress(text) == nil)
    }
}
