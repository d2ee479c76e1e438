import ServiceRuntime
import Testing

@testable import NotificationService

@Suite("The unsubscribe link of bulk mails")
struct UnsubscribeLinkTests {
    @Test(
        "a placeholder used twice is rejected: a long address would not fit into the line",
        arguments: [
            ("https://a.example/?r={recipient}&m={message}", true),
            ("https://a.example/?r={recipient}&s={recipient}", false),
            ("https://a.example/?r={recipient}{recipient}{recipient}", false),
            ("https://a.example/?m={message}&n={message}", false),
            ("https://a.example/", true), ("http://a.example/", false),
        ])
    func places(_ template: String, _ isTaken: Bool) {
        #expect((UnsubscribeLink(template) != nil) == isTaken)
    }

    @Test("RFC 5322, 2.1.1: the longest address in the longest link fits into one line")
    func longest() throws {
        let start = "https://a.example/?m={message}&r={recipient}&x="
        let template = start + String(repeating: "x", count: 200 - start.utf8.count)
        let link = try #require(UnsubscribeLink(template))
        // Each byte of "ß" becomes three bytes.
        let local = String(repeating: "ß", count: 32)
        let domain = (0..<3).map { _ in String(repeating: "d", count: 62) }.joined(separator: ".")
        let recipient = try #require(MailAddress("\(local)@\(domain)"))
        #expect(recipient.text.utf8.count == 253)
        let id = try #require(MessageID(key: .max))
        let fields = link.fields(to: recipient, message: id, isSigned: true)
        #expect(fields.map(\.name) == ["List-Unsubscribe", "List-Unsubscribe-Post"])
        #expect(fields[0].value.utf8.count < MailHeader.lineBytesMax - 18)
    }

    @Test("a value that is not allowed in a header gives no field, and the mail is still sent")
    func unsafe() {
        let long = String(repeating: "x", count: 998)
        #expect(MailHeader.Field(ifSafe: "List-Unsubscribe", long) == nil)
        #expect(MailHeader.Field(ifSafe: "List-Unsubscribe", "<a>\r\nBcc: b") == nil)
        #expect(MailHeader.Field(ifSafe: "List-Unsubscribe", "<a>")?.value == "<a>")
    }
}
