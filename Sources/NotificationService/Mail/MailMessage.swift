import ServiceRuntime

/// A complete mail (RFC 5322, MIME) with text and HTML as alternatives.
///
/// Its bytes depend on its parts only. So every delivery attempt sends the same bytes with the same
/// Message-ID, and a mail server can recognise a duplicate.
struct MailMessage: Sendable {
    /// The message's id.
    let id: MessageID
    /// When it was accepted.
    let date: Timestamp
    /// The sender.
    let sender: Mailbox
    /// The recipient.
    let recipient: MailAddress
    /// Subject and texts.
    let content: MailContent
    /// How the reader can unsubscribe; nil if that is not possible.
    var unsubscribe: UnsubscribeLink?

    /// The whole message with CR LF line ends.
    var bytes: [UInt8] { Self.bytes(header(isSigned: false), body) }

    /// The whole message, with the signer's fields first.
    /// - Throws: `CryptographyError`.
    func bytes(signedBy signer: DKIMSigner) throws -> [UInt8] {
        var header = header(isSigned: true)
        let body = body
        header.fields = try signer.signatures(of: header, body: body, at: date) + header.fields
        return Self.bytes(header, body)
    }

    /// `Auto-Submitted` suppresses automatic answers (RFC 3834, 5). Exchange uses a field of its
    /// own instead ([MS-OXCMAIL] 2.1.3.2.22), here without suppressing bounces and receipts.
    private func header(isSigned: Bool) -> MailHeader {
        let link = unsubscribe?.fields(to: recipient, message: id, isSigned: isSigned) ?? []
        return MailHeader(
            [
                .init("Date", date.internetDate(zone: "+0000")),
                .init("Message-ID", "<\(id.text)@\(sender.address.domain)>"),
                .init("From", sender.text),
                .init("To", recipient.text),
                .init("Subject", content.subject.unstructured),
                .init("Auto-Submitted", "auto-generated"),
                .init("X-Auto-Response-Suppress", "OOF, AutoReply"),
            ] + link + [
                .init("MIME-Version", "1.0"),
                .init("Content-Language", content.language),
                .init("Content-Type", "multipart/alternative; boundary=\"\(boundary)\""),
            ])
    }

    /// Quoted-printable never produces "=_", so no text can contain the boundary (RFC 2045, 6.7).
    private var boundary: String { "=_\(id.text)" }

    private var body: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * (content.text.utf8.count + content.html.utf8.count) + 512)
        appendPart("text/plain", content.text, to: &bytes)
        appendPart("text/html", content.html, to: &bytes)
        bytes += "--\(boundary)--\r\n".utf8
        return bytes
    }

    private func appendPart(_ type: String, _ text: String, to bytes: inout [UInt8]) {
        let lines = [
            "--\(boundary)", "Content-Type: \(type); charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable", "", "",
        ]
        bytes += lines.joined(separator: "\r\n").utf8
        QuotedPrintable.encode(text, into: &bytes)
        // The line end before a boundary belongs to the boundary (RFC 2046, 5.1.1).
        bytes += [13, 10]
    }

    private static func bytes(_ header: MailHeader, _ body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count + 4_096)
        header.append(to: &bytes)
        bytes += [13, 10]
        bytes += body
        return bytes
    }
}

/// A mail's subject and texts, in one language.
package struct MailContent: Hashable, Sendable {
    /// BCP 47; one of our languages, never the tag of a request.
    package let language: String
    /// The subject.
    package let subject: HeaderText
    /// For mail programs that show no HTML.
    package let text: String
    /// The same in HTML.
    package let html: String
}
