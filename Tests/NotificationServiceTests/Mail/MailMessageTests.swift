import Contracts
import ServiceRuntime
import Testing

@testable import NotificationService

@Suite("Mail messages")
struct MailMessageTests {
    @Test("RFC 5322 and MIME: the whole mail, byte for byte")
    func golden() throws {
        let content = MailContent(
            language: "en", subject: try #require(HeaderText("Grüße an Ada")),
            text: "Hello\nhttps://app.example/v?token=abc", html: "<p>Hello</p>\n")
        let mail = MailMessage(
            id: try #require(MessageID(key: 1)), date: Timestamp(milliseconds: 1_767_225_600_999),
            sender: try #require(Mailbox(name: "Postern, Inc.", address: "no-reply@example.org")),
            recipient: try #require(MailAddress("ada@example.com")), content: content)
        let expected = """
            Date: Thu, 01 Jan 2026 00:00:00 +0000
            Message-ID: <msg_0000000000001@example.org>
            From: "Postern, Inc." <no-reply@example.org>
            To: ada@example.com
            Subject: =?utf-8?B?R3LDvMOfZSBhbiBBZGE=?=
            Auto-Submitted: auto-generated
            X-Auto-Response-Suppress: OOF, AutoReply
            MIME-Version: 1.0
            Content-Language: en
            Content-Type: multipart/alternative; boundary="=_msg_0000000000001"

            --=_msg_0000000000001
            Content-Type: text/plain; charset=utf-8
            Content-Transfer-Encoding: quoted-printable

            Hello
            https://app.example/v?token=3Dabc

            --=_msg_0000000000001
            Content-Type: text/html; charset=utf-8
            Content-Transfer-Encoding: quoted-printable

            <p>Hello</p>


            --=_msg_0000000000001--

            """.replacing("\n", with: "\r\n")
        #expect(String(decoding: mail.bytes, as: UTF8.self) == expected)
        #expect(mail.bytes == mail.bytes)
    }

    @Test(
        "RFC 5322, 3.3: dates are formatted as the RFC says, within years 1970 to 9999",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 +0000"),
            (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 +0000"),
            (1_798_761_599_999, "Thu, 31 Dec 2026 23:59:59 +0000"),
            (-1, "Thu, 01 Jan 1970 00:00:00 +0000"),
            (Int64.max, "Fri, 31 Dec 9999 23:59:59 +0000"),
        ])
    func dates(_ milliseconds: Int64, _ text: String) {
        #expect(Timestamp(milliseconds: milliseconds).internetDate(zone: "+0000") == text)
    }

    @Test("the subject, addresses and text of a mail decode to what was written")
    func readBack() throws {
        let link = "https://app.example/verify?token=" + String(repeating: "x", count: 300)
        let content = try TemplateCatalogue.embedded.mail(
            .verifyEmail, language: "", product: try #require(HeaderText("Ünïcode & Söhne")),
            values: [.link: link])
        let mail = MailMessage(
            id: try #require(MessageID(key: 7)), date: Timestamp(milliseconds: 0),
            sender: try #require(Mailbox(name: "Postern", address: "no-reply@example.org")),
            recipient: try #require(MailAddress("jörg@example.com")), content: content)
        let read = MaildirReader.Mail(name: "1", bytes: mail.bytes)
        #expect(read.subject == "Confirm your email for Ünïcode & Söhne")
        #expect(read.to == "jörg@example.com")
        #expect(read.from == "Postern <no-reply@example.org>")
        #expect(read.text.contains("\n\(link)&lang=en\n"))
    }
}
