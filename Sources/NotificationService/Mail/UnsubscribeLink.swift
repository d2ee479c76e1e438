import ServiceRuntime

/// Where a reader ends mails that he need not have (RFC 2369, 3.2; RFC 8058): the operator's page,
/// which is told who asks. Codes and security notices never carry one.
package struct UnsubscribeLink: Hashable, Sendable {
    /// The longest template, in bytes: with one address of 254 bytes, each written as three, the
    /// field still fits into a line.
    package static let bytesMax = 200
    private static let recipientPlace = "{recipient}"
    private static let messagePlace = "{message}"

    private let template: String

    /// A page's URL, `https`, in which `{recipient}` stands for the reader's address and
    /// `{message}` for the mail's id, each once at most; nil for anything else.
    package init?(_ template: String) {
        let filled = template.replacing(Self.recipientPlace, with: "")
            .replacing(Self.messagePlace, with: "")
        guard template.ranges(of: Self.recipientPlace).count <= 1,
            template.ranges(of: Self.messagePlace).count <= 1,
            template.hasPrefix("https://"), template.utf8.count <= Self.bytesMax,
            filled.utf8.allSatisfy({ (33...126).contains($0) && !"\"<>\\^`{|}".utf8.contains($0) })
        else { return nil }
        self.template = template
    }

    /// The header's fields. One click (RFC 8058) only where the page learns whose click it was, and
    /// the fields are signed, as its section 4 demands. None where the link does not fit into a line:
    /// a mail without it is better than none.
    func fields(
        to recipient: MailAddress, message: MessageID, isSigned: Bool
    ) -> [MailHeader.Field] {
        let url =
            template
            .replacing(Self.recipientPlace, with: Self.percentEncoded(recipient.text))
            .replacing(Self.messagePlace, with: message.text)
        guard let link = MailHeader.Field(ifSafe: "List-Unsubscribe", "<\(url)>") else { return [] }
        guard isSigned, url != template else { return [link] }
        return [link, MailHeader.Field("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")]
    }

    /// Letters and digits as they are, all else as `%XX` (RFC 3986, 2.1).
    private static func percentEncoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = text.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "."), UInt8(ascii: "-"): [byte]
            default: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
