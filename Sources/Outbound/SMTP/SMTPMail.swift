/// One mail for one recipient: the envelope and the bytes of the message (RFC 5321).
package struct SMTPMail: Sendable {
    /// Why an envelope or a message was rejected before it was sent to a server.
    package enum Problem: Error, Hashable, Sendable {
        /// An address that could end its line or its angle brackets early.
        case address
        /// Larger than `bytesMax`.
        case size
    }

    /// The longest address, without its brackets (RFC 5321, 4.5.3.1.3).
    package static let addressBytesMax = 254
    /// The largest message, in bytes: a few times what a page of text and HTML needs.
    package static let bytesMax = 1 << 20

    /// The envelope's sender, which receives bounces.
    package let sender: String
    /// The envelope's recipient.
    package let recipient: String
    /// Header and body with CRLF line endings. libcurl doubles dots at line starts.
    package let message: [UInt8]

    /// A mail.
    /// - Throws: `Problem.address`, `Problem.size`.
    package init(sender: String, recipient: String, message: [UInt8]) throws(Problem) {
        guard Self.isSafe(sender), Self.isSafe(recipient) else { throw .address }
        guard message.count <= Self.bytesMax else { throw .size }
        self.sender = sender
        self.recipient = recipient
        self.message = message
    }

    /// Whether an address, and so the header too, contains characters beyond ASCII.
    var isInternational: Bool {
        !sender.utf8.allSatisfy { $0 < 0x80 } || !recipient.utf8.allSatisfy { $0 < 0x80 }
    }

    /// libcurl inserts addresses into `MAIL FROM:<…>` unchanged: a CR LF in one would start another
    /// command, a `>` or a space would add a parameter. Characters beyond ASCII need SMTPUTF8 (RFC
    /// 6531).
    private static func isSafe(_ address: String) -> Bool {
        (3...addressBytesMax).contains(address.utf8.count)
            && address.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "\u{00}"..."\u{20}", "<", ">", "\u{7f}"..."\u{9f}": false
                case "\u{2028}", "\u{2029}": false
                default: true
                }
            }
    }
}
