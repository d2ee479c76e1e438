import Outbound
import ServiceRuntime

/// Where a reader unsubscribes from bulk mails (RFC 2369, 3.2; RFC 8058): the operator's page,
/// whose URL contains recipient or message. Codes and security notices never have one.
struct UnsubscribeLink: Hashable, Sendable {
    /// The longest template, in bytes. With an address of 254 bytes, each percent-encoded as three,
    /// the field still fits into a line.
    static let bytesMax = 200
    private static let recipientPlace = "{recipient}"
    private static let messagePlace = "{message}"

    private let template: String

    /// The URL of a page, `https`, with the placeholders `{recipient}` for the reader's address and
    /// `{message}` for the mail's id, each at most once; nil for anything else.
    init?(_ template: String) {
        let filled = template.replacing(Self.recipientPlace, with: "")
            .replacing(Self.messagePlace, with: "")
        guard template.ranges(of: Self.recipientPlace).count <= 1,
            template.ranges(of: Self.messagePlace).count <= 1,
            template.hasPrefix("https://"), template.utf8.count <= Self.bytesMax,
            filled.utf8.allSatisfy({ (33...126).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) })
        else { return nil }
        self.template = template
    }

    /// The header fields. One-click (RFC 8058) only if the URL identifies the reader or the mail
    /// and the fields are signed, as RFC 8058, 4, requires. No field if the link does not fit into
    /// a line: a mail without it is better than no mail.
    func fields(
        to recipient: MailAddress, message: MessageID, isSigned: Bool
    ) -> [MailHeader.Field] {
        let url =
            template
            .replacing(Self.recipientPlace, with: FormBody.escape(recipient.text))
            .replacing(Self.messagePlace, with: message.text)
        guard let link = MailHeader.Field(ifSafe: "List-Unsubscribe", "<\(url)>") else { return [] }
        guard isSigned, url != template else { return [link] }
        return [link, MailHeader.Field("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")]
    }
}
