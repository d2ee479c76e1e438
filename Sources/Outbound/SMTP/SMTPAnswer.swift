/// A server's answer to one step of a mail (RFC 5321, 4.2), without its text, which may hold the
/// recipient's address.
package struct SMTPAnswer: Hashable, Sendable {
    /// The steps of a mail, in their order.
    package enum Step: String, Hashable, Sendable {
        /// MAIL: who it is from, how large it is.
        case sender
        /// RCPT: who it is for.
        case recipient
        /// DATA: whether the message may come.
        case data
        /// The message's end.
        case message
    }

    /// What it answers.
    package let step: Step
    /// 400 to 499 asks to try later, 500 to 599 never to try again.
    package let code: Int
    /// Why; nil where the server does not say.
    package let status: SMTPStatus?

    /// An answer.
    package init(step: Step, code: Int, status: SMTPStatus?) {
        self.step = step
        self.code = code
        self.status = status
    }
}

/// An enhanced status code (RFC 3463): `5.1.1`.
package struct SMTPStatus: Hashable, Sendable, CustomStringConvertible {
    /// 2 success, 4 for now, 5 for good.
    package let kind: Int
    /// What it is about: 1 address, 2 mailbox, 3 mail system, 4 network, 5 protocol, 6 content,
    /// 7 policy.
    package let subject: Int
    /// What exactly.
    package let detail: Int

    /// A code by its numbers.
    package init(_ kind: Int, _ subject: Int, _ detail: Int) {
        self.kind = kind
        self.subject = subject
        self.detail = detail
    }

    /// The code that an answer's text begins with (RFC 2034, 4); nil where there is none.
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

    /// As it is written.
    package var description: String { "\(kind).\(subject).\(detail)" }
}
