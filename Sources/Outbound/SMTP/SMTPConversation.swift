/// Follows the conversation of one transfer by the server's lines, which libcurl shows but does not
/// store: which extensions are offered, which step has been answered, and with which reply. Used
/// only on the curl thread.
///
///     connecting ──begin──▶ sender ──2xx──▶ recipient ──2xx──▶ data ──354──▶ message
///         ▲ greeting, EHLO, STARTTLS, AUTH    each reply is stored with its step
final class SMTPConversation {
    private let isInternational: Bool
    /// Nil until the connection is ready.
    private var step: SMTPAnswer.Step?
    /// Whether the server offers SMTPUTF8: addresses beyond ASCII (RFC 6531). Nil before its
    /// greeting, as on a pooled connection.
    private var offersInternational: Bool?
    /// The latest reply to a step of the mail.
    private(set) var answer: SMTPAnswer?
    /// The server does not support the mail's addresses.
    private(set) var isUnsupported = false

    /// The conversation of one mail. An international mail has an address beyond ASCII.
    init(isInternational: Bool) {
        self.isInternational = isInternational
    }

    /// The connection is ready, and the mail is next.
    /// - Returns: False when the mail needs SMTPUTF8 and the server does not offer it. libcurl
    ///   would send the address anyway, and a server that reads it in another encoding might
    ///   deliver the mail to someone else.
    func begin(on descriptor: Int32, _ sockets: OpenSockets) -> Bool {
        let isOffered = offersInternational ?? sockets.offersInternational[descriptor] ?? false
        sockets.offersInternational[descriptor] = isOffered
        offersInternational = nil
        answer = nil
        step = .sender
        isUnsupported = isInternational && !isOffered
        return !isUnsupported
    }

    /// The transfer starts again on a new connection.
    func startOver() {
        step = nil
        offersInternational = nil
        answer = nil
    }

    /// Receives a line of a reply: three digits, `-` or a space, text.
    func take(_ line: UnsafeRawBufferPointer) {
        let digits = line.prefix(3)
        guard digits.count == 3, digits.allSatisfy({ (48...57).contains($0) }) else { return }
        let code = digits.reduce(0) { $0 * 10 + Int($1 - 48) }
        let text = line.dropFirst(4)
        // Ignores the reply to QUIT, which libcurl sends before it reports a rejected mail.
        if code == 221 { return }
        guard let step else { return takeOffer(code, text) }
        // Skips continuation lines: the last line of a reply has all that is needed.
        if line.count > 3, line[3] == UInt8(ascii: "-") { return }
        answer = SMTPAnswer(step: step, code: code, status: SMTPStatus(beginning: text))
        guard (200...399).contains(code) else { return }
        switch step {
        case .sender: self.step = .recipient
        case .recipient: self.step = .data
        case .data, .message: self.step = .message
        }
    }

    /// Code 220 is the greeting or the reply to STARTTLS, which voids all earlier offers (RFC 3207,
    /// 4.2).
    private func takeOffer(_ code: Int, _ text: Slice<UnsafeRawBufferPointer>) {
        if code == 220 { offersInternational = false }
        guard code == 250, offersInternational != nil else { return }
        let keyword = text.prefix { $0 != 32 && $0 != 13 && $0 != 10 }
        if keyword.elementsEqual("SMTPUTF8".utf8, by: { ($0 & 0xDF) == $1 || $0 == $1 }) {
            offersInternational = true
        }
    }
}
