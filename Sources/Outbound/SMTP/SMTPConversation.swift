/// What a mail server offers (RFC 5321, 4.1.1.1), as far as we ask.
struct SMTPExtensions: Hashable {
    /// Addresses beyond ASCII (RFC 6531).
    var takesInternationalAddresses = false
}

/// Follows one transfer's conversation by the server's lines, which libcurl shows and does not keep:
/// what is offered, which step has been answered, and why. On the curl thread only.
///
///     connecting ──begin──▶ sender ──2xx──▶ recipient ──2xx──▶ data ──354──▶ message
///         ▲ greeting, EHLO, STARTTLS, AUTH    each answer is kept with its step
final class SMTPConversation {
    private let isInternational: Bool
    /// Nil while the connection is made.
    private var step: SMTPAnswer.Step?
    /// Nil while nothing has been offered: a connection from the pool.
    private var offered: SMTPExtensions?
    /// The latest answer to a step of the mail.
    private(set) var answer: SMTPAnswer?
    /// The server cannot take the mail's addresses.
    private(set) var isUnsupported = false

    /// The conversation about a mail; an international one has an address beyond ASCII.
    init(isInternational: Bool) {
        self.isInternational = isInternational
    }

    /// A connection stands; the mail is next.
    /// - Returns: false when the server there does not take such addresses. libcurl would send them
    ///   anyhow, and a server that reads them as another alphabet might find somebody else.
    func begin(on descriptor: Int32, _ sockets: OpenSockets) -> Bool {
        let extensions = offered ?? sockets.extensions[descriptor] ?? SMTPExtensions()
        sockets.extensions[descriptor] = extensions
        offered = nil
        answer = nil
        step = .sender
        isUnsupported = isInternational && !extensions.takesInternationalAddresses
        return !isUnsupported
    }

    /// The transfer begins again, on a new connection.
    func startOver() {
        step = nil
        offered = nil
        answer = nil
    }

    /// A line of an answer: three digits, `-` or a space, text.
    func take(_ line: UnsafeRawBufferPointer) {
        let digits = line.prefix(3)
        guard digits.count == 3, digits.allSatisfy({ (48...57).contains($0) }) else { return }
        let code = digits.reduce(0) { $0 * 10 + Int($1 - 48) }
        let text = line.dropFirst(4)
        // The answer to QUIT, which libcurl says before it tells of a mail that was refused.
        if code == 221 { return }
        guard let step else { return takeOffer(code, text) }
        // A line that goes on says nothing that its last one does not.
        if line.count > 3, line[3] == UInt8(ascii: "-") { return }
        answer = SMTPAnswer(step: step, code: code, status: SMTPStatus(beginning: text))
        guard (200...399).contains(code) else { return }
        switch step {
        case .sender: self.step = .recipient
        case .recipient: self.step = .data
        case .data, .message: self.step = .message
        }
    }

    /// 220 is the greeting, or STARTTLS's answer: what was offered before is void (RFC 3207, 4.2).
    private func takeOffer(_ code: Int, _ text: Slice<UnsafeRawBufferPointer>) {
        if code == 220 { offered = SMTPExtensions() }
        guard code == 250 else { return }
        let keyword = text.prefix { $0 != 32 && $0 != 13 && $0 != 10 }
        if keyword.elementsEqual("SMTPUTF8".utf8, by: { ($0 & 0xDF) == $1 || $0 == $1 }) {
            offered?.takesInternationalAddresses = true
        }
    }
}
