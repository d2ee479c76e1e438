package import ServiceRuntime

/// A mail as it travels (RFC 5322, MIME): text and HTML as alternatives.
///
/// Its bytes depend on nothing but its parts, so every attempt to deliver a message sends the same
/// ones, with the same Message-ID: a mail server that is given it twice can tell.
package struct MailMessage: Sendable {
    /// Which message this is.
    package let id: MessageID
    /// When it was accepted.
    package let date: Timestamp
    /// Who it is from.
    package let sender: Mailbox
    /// Who it is for.
    package let recipient: MailAddress
    /// What it says.
    package let content: MailContent

    /// A mail.
    package init(
        id: MessageID, date: Timestamp, sender: Mailbox, recipient: MailAddress,
        content: MailContent
    ) {
        self.id = id
        self.date = date
        self.sender = sender
        self.recipient = recipient
        self.content = content
    }

    /// The whole message with CR LF line ends.
    package var bytes: [UInt8] {
        // Quoted-printable never writes "=_", so no text can hold the boundary (RFC 2045, 6.7).
        let boundary = "=_\(id.text)"
        let header = """
            Date: \(MailDate(date).text)
            Message-ID: <\(id.text)@\(sender.address.domain)>
            From: \(sender.text)
            To: \(recipient.text)
            Subject: \(content.subject.unstructured)
            Auto-Submitted: auto-generated
            MIME-Version: 1.0
            Content-Language: \(content.language)
            Content-Type: multipart/alternative; boundary="\(boundary)"
            """
        return Self.lines(header) + Self.lines("\n--\(boundary)")
            + Self.part("text/plain", content.text) + Self.lines("\n--\(boundary)")
            + Self.part("text/html", content.html) + Self.lines("\n--\(boundary)--")
    }

    private static func part(_ type: String, _ text: String) -> [UInt8] {
        lines(
            """
            Content-Type: \(type); charset=utf-8
            Content-Transfer-Encoding: quoted-printable

            """) + QuotedPrintable.encode(text)
    }

    /// Lines of ours; an encoded word in them brings its own CR LF.
    private static func lines(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte == 10, bytes.last != 13 { bytes.append(13) }
            bytes.append(byte)
        }
        return bytes + [13, 10]
    }
}

/// What a mail says, in one language.
package struct MailContent: Hashable, Sendable {
    /// BCP 47; ours, never a request's.
    package let language: String
    /// The subject.
    package let subject: HeaderText
    /// For readers that show no HTML.
    package let text: String
    /// The same in HTML.
    package let html: String
}
