/// One mail for one recipient: the envelope and the bytes of the message (RFC 5321).
package struct SMTPMail: Sendable {
    /// Why an envelope or a message was refused here, before any server saw it.
    package enum Mistake: Error, Hashable, Sendable {
        /// An address that could end its line, or its angle brackets, early.
        case address
        /// Larger than `bytesMax`.
        case size
    }

    /// The longest address of RFC 5321, 4.5.3.1.3, without its brackets.
    package static let addressBytesMax = 254
    /// The largest message. A few times what a page of text and HTML needs.
    package static let bytesMax = 1 << 20

    /// Who hears of bounces.
    package let sender: String
    /// Who gets it.
    package let recipient: String
    /// Header and body with CRLF line ends. Dots at line starts are doubled by libcurl.
    package let message: [UInt8]

    /// A mail.
    /// - Throws: `Mistake`.
    package init(sender: String, recipient: String, message: [UInt8]) throws(Mistake) {
        guard Self.isSafe(sender), Self.isSafe(recipient) else { throw .address }
        guard message.count <= Self.bytesMax else { throw .size }
        self.sender = sender
        self.recipient = recipient
        self.message = message
    }

    /// Whether an address, and so the header too, has letters beyond ASCII.
    var isInternational: Bool {
        !sender.utf8.allSatisfy { $0 < 0x80 } || !recipient.utf8.allSatisfy { $0 < 0x80 }
    }

    /// libcurl puts addresses into `MAIL FROM:<…>` as they are: a CR LF in one would be a command
    /// of its own, a `>` or a space a parameter. Letters beyond ASCII are for SMTPUTF8 (RFC 6531).
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
