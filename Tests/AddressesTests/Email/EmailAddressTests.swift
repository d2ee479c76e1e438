import Testing

@testable import Addresses

@Suite("I-05: email addresses")
struct EmailAddressTests {
    @Test(
        "I-05: each of these is one address in two spellings",
        arguments: [
            ("Ada@Example.ORG", "ada@example.org"),
            ("ada@bücher.example", "ada@xn--bcher-kva.example"),
            ("ada@BÜCHER.example", "ada@xn--bcher-kva.example"),
            ("ada@ex。ample.org", "ada@ex.ample.org"),
            ("ada@faß.example", "ada@xn--fa-hia.example"),
            ("re\u{301}ne@example.org", "r\u{e9}ne@example.org"),
            ("E\u{301}va@example.org", "\u{c9}va@example.org"),
            ("o'brien+x@example.org", "O'Brien+X@example.org"),
        ])
    func same(left: String, right: String) throws {
        let left = try #require(EmailAddress(left))
        let right = try #require(EmailAddress(right))
        #expect(left.normalised == right.normalised)
    }

    @Test(
        "I-05: look-alikes are different addresses",
        arguments: [
            ("mıke@example.org", "mike@example.org"),
            ("\u{212a}im@example.org", "kim@example.org"),
            ("\u{212a}im@example.org", "Kim@example.org"),
            ("а@example.org", "a@example.org"),
            ("ſam@example.org", "sam@example.org"),
            ("ａda@example.org", "ada@example.org"),
            ("İda@example.org", "ida@example.org"),
            ("ada@faß.example", "ada@fass.example"),
            ("ada@аpple.example", "ada@apple.example"),
            ("Éva@example.org", "éva@example.org"),
            ("a.da@example.org", "ada@example.org"),
        ])
    func different(left: String, right: String) throws {
        let left = try #require(EmailAddress(left))
        let right = try #require(EmailAddress(right))
        #expect(left.normalised != right.normalised)
    }

    @Test(
        "I-05: what is no address, or would travel into a header or a shell, is refused",
        arguments: [
            "", "ada", "@example.org", "ada@", "ada@@example.org", "a@b@example.org",
            "ada@example", "ada@-example.org", "ada@example-.org", "ada@example..org",
            "ada@.example.org", "ada@example.org.", "ada@192.0.2.1", "ada@[192.0.2.1]",
            ".ada@example.org", "ada.@example.org", "a..da@example.org",
            "ada @example.org", " ada@example.org", "ada@example.org ", "ada@exa mple.org",
            "ada\r\nBcc: eve@example.org", "ada@example.org\r\n", "ada\n@example.org",
            "ada\u{0}@example.org", "ada\u{7f}@example.org", "ada@example.org\u{0}",
            "\"ada\"@example.org", "ada\\@example.org", "ada(x)@example.org",
            "<ada@example.org>", "ada,eve@example.org", "ada;eve@example.org",
            "ada:eve@example.org", "a\u{301}@\u{301}example.org", "ada@\u{301}example.org",
            "a\u{200b}da@example.org", "a\u{202e}da@example.org", "a\u{ad}da@example.org",
            "ada@exa\u{ad}mple.org", "ada@exa\u{200b}mple.org", "ada@exam_ple.org",
            "ada@a_b.bücher.example", "ada@a＿b.bücher.example", "ada@☃.example",
            "ada@xn--zzzz-bogus.example", "ada@xn--.example", "😀@example.org",
            "a\u{a0}da@example.org", "a\u{2028}da@example.org", "a\u{e000}da@example.org",
            "a\u{37e}b@example.org",
        ])
    func refused(text: String) {
        #expect(EmailAddress(text) == nil)
    }

    @Test("I-05: mail goes to the local part as entered, at the domain in its form for the DNS")
    func mailbox() throws {
        let address = try #require(EmailAddress("Ada.Lovelace@BÜCHER.Example"))
        #expect(address.mailbox == "Ada.Lovelace@xn--bcher-kva.example")
        #expect(address.entered == "Ada.Lovelace@BÜCHER.Example")
    }

    @Test("I-05: 64 bytes before the @ are taken, 65 are not; 254 in all, 255 are not")
    func lengths() {
        let local = String(repeating: "a", count: 64)
        #expect(EmailAddress(local + "@example.org") != nil)
        #expect(EmailAddress("a" + local + "@example.org") == nil)
        #expect(EmailAddress(String(repeating: "é", count: 33) + "@example.org") == nil)

        let label = String(repeating: "b", count: 63)
        // 63 + 1 + 63 + 1 + 56 + 1 + 4 = 189 bytes of domain, and 64 + 1 before it.
        let domain = "\(label).\(label).\(String(repeating: "c", count: 56)).orgs"
        #expect(EmailAddress("\(local)@\(domain)") != nil)
        #expect(EmailAddress("\(local)@\(domain.dropLast())es") == nil)
        #expect(EmailAddress(String(repeating: "x", count: 1_000_000)) == nil)
    }

    @Test("I-05: 63 bytes are a label, 64 are not")
    func labels() {
        #expect(EmailAddress("a@\(String(repeating: "b", count: 63)).org") != nil)
        #expect(EmailAddress("a@\(String(repeating: "b", count: 64)).org") == nil)
        // 58 letters take more than 63 bytes in punycode.
        #expect(EmailAddress("a@\(String(repeating: "ü", count: 63)).org") == nil)
    }
}
