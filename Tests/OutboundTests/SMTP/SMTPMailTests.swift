import Outbound
import Testing

@Suite("A mail's envelope")
struct SMTPMailTests {
    @Test(
        "an address with line breaks, brackets or other unsafe characters is rejected",
        arguments: [
            "a@b\r\nRCPT TO:<eve@evil.example>", "a@b\nc", "a@b\r", "a@b>", "<a@b", "a b@c",
            "a@b\u{0}", "a@b\t", "", "a@", "a@b\u{85}c", "a@b\u{2028}c",
            String(repeating: "a", count: 250) + "@b.example",
        ])
    func hostileAddress(_ address: String) {
        #expect(throws: SMTPMail.Problem.address) {
            try SMTPMail(sender: "us@example.org", recipient: address, message: [])
        }
        #expect(throws: SMTPMail.Problem.address) {
            try SMTPMail(sender: address, recipient: "us@example.org", message: [])
        }
    }

    @Test("a message of the maximum size is accepted, and one byte more is rejected")
    func size() throws {
        let largest = [UInt8](repeating: 65, count: SMTPMail.bytesMax)
        _ = try SMTPMail(sender: "a@b.example", recipient: "c@d.example", message: largest)
        #expect(throws: SMTPMail.Problem.size) {
            try SMTPMail(sender: "a@b.example", recipient: "c@d.example", message: largest + [65])
        }
    }

    @Test(
        "a host name that could change the URL is rejected",
        arguments: ["", "a/b", "a@b", "a:1", "a b", "a?x", "a#x", "-a", "a\r\nb", "ü.example"])
    func hostileHost(_ name: String) {
        #expect(route(host: name, clientName: "us.example") == nil)
        #expect(route(host: "relay.example", clientName: name) == nil)
    }

    @Test(
        "host names and IP addresses are accepted as hosts",
        arguments: ["localhost", "mail.example.org", "127.0.0.1", "::1", "xn--bcher-kva.example"])
    func host(_ name: String) {
        #expect(route(host: name, clientName: "us.example") != nil)
    }

    private func route(host: String, clientName: String) -> SMTPServer? {
        SMTPServer(
            host: host, port: 25, encryption: .none, credentials: nil, clientName: clientName,
            addresses: .any, trustFile: nil)
    }
}
