/// A server's reply to one step of a mail (RFC 5321, 4.2), without its text, which may contain the
/// recipient's address.
package struct SMTPAnswer: Hashable, Sendable {
    /// The steps of a mail, in order.
    package enum Step: String, Hashable, Sendable {
        /// MAIL: the sender and the size.
        case sender
        /// RCPT: the recipient.
        case recipient
        /// DATA: permission to send the message.
        case data
        /// The end of the message.
        case message
    }

    /// The step that the reply is for.
    package let step: Step
    /// 400 to 499 are temporary errors, 500 to 599 permanent ones.
    package let code: Int
    /// The enhanced status code. Nil where the server sends none.
    package let status: SMTPStatus?

    /// A reply.
    package init(step: Step, code: Int, status: SMTPStatus?) {
        self.step = step
        self.code = code
        self.status = status
    }
}

/// An enhanced status code (RFC 3463): `5.1.1`.
package struct SMTPStatus: Hashable, Sendable, CustomStringConvertible {
    /// The class: 2 success, 4 temporary, 5 permanent.
    package let kind: Int
    /// The subject: 1 address, 2 mailbox, 3 mail system, 4 network, 5 protocol, 6 content, 7
    /// policy.
    package let subject: Int
    /// The detail.
    package let detail: Int

    /// A code from its numbers.
    package init(_ kind: Int, _ subject: Int, _ detail: Int) {
        self.kind = kind
        self.subject = subject
        self.detail = detail
    }

    /// Parses the code at the beginning of a reply's text (RFC 2034, 4). Nil where there is none.
    package init?(beginning text: some Collection<UInt8>) {
        // x.xxx.xxx (RFC 3463, 2).
        let word = text.prefix { $0 != 32 && $0 != 13 && $0 != 10 }.prefix(10)
        let parts = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part -> Int? in
            guard (1...3).contains(part.count), part.allSatisfy({ (48...57).contains($0) }) else {
                return nil
            }
            return part.reduce(0) { $0 * 10 + Int($1 - 48) }
        }
        guard parts.count == 3, numbers.count == 3, [2, 4, 5].contains(numbers[0]) else {
            return nil
        }
        self.init(numbers[0], numbers[1], numbers[2])
    }

    /// The code as text.
    package var description: String { "\(kind).\(subject).\(detail)" }
}
