import Outbound
import ServiceRuntime

/// The meaning of a mail server's answer, for the mail and for the server. Pure.
///
///     answer                                    verdict             why
///     250 to the whole message                  taken
///     5xx with 5.1.1, 5.1.2, 5.1.3, 5.1.6,      address is dead     no such mailbox: RFC 3463, 3.2
///     5.1.10, 5.2.1, from RCPT on                                   and 3.3; RFC 7505
///     any other 5xx from RCPT on                refused             content or policy; also a bare
///                                                                   550, which may be either
///     5xx to MAIL, but for the size             server failed       it rejects all our mail: a
///                                                                   configuration error
///     530, 534, 535, 538                        server failed       authentication or encryption
///                                                                   required (RFC 4954, 6)
///     421                                       server failed       it closes the connection
///     450; 4xx with 4.1, 4.2, 4.5, 4.6, 4.7     later, in a minute  greylisting, a full mailbox,
///                                               at least            too many mails: it works
///     any other 4xx to RCPT                     later               about one address
///     any other 4xx                             server failed       its disk, its network
///     no SMTPUTF8 for an address that needs it  unsupported         another server may support it
///     no answer after the whole message         uncertain           it may have the mail, so no
///                                                                   other server gets it at once
///     anything else                             server failed
///
/// Attack: a few odd addresses, each answered with 4xx, open the server's breaker for everybody. So
/// such an answer to RCPT says nothing about the server.
enum MailVerdict: Hashable, Sendable {
    case taken
    case addressDead(String)
    case refused(String)
    case later(String)
    case unsupported
    case uncertain(String)
    case serverFailed(String)
    /// The attempt was cancelled; it says nothing about server or mail.
    case abandoned(String)

    /// The minimum delay before a retry with a server that greylists or has a full mailbox. Most
    /// ask for one to five minutes.
    static let retryDelayMin: Duration = .seconds(60)
    private static let loginCodes = [530, 534, 535, 538]
    private static let deadAddressDetails = [1, 2, 3, 6, 10]
    private static let mailSubjects = [1, 2, 5, 6, 7]

    init(_ outcome: SMTPOutcome) {
        switch outcome {
        case .accepted: self = .taken
        case .unsupported: self = .unsupported
        case .failed(.cancelled), .failed(.closed), .unanswered(.cancelled), .unanswered(.closed):
            self = .abandoned(DeliveryReason.givenUp.rawValue)
        case .failed(let failure): self = .serverFailed(failure.rawValue)
        case .unanswered(let failure): self = .uncertain("unanswered-\(failure.rawValue)")
        case .refused(let answer): self.init(answer)
        }
    }

    private init(_ answer: SMTPAnswer) {
        let status = answer.status.map { "-\($0)" } ?? ""
        let reason = "smtp-\(answer.code)\(status)"
        if Self.loginCodes.contains(answer.code) {
            self = .serverFailed(reason)
        } else if answer.code >= 500 {
            self = Self.permanent(answer, reason)
        } else if answer.code == 421 {
            self = .serverFailed(reason)
        } else if answer.step == .recipient || answer.code == 450
            || Self.mailSubjects.contains(answer.status?.subject ?? 0)
        {
            self = .later(reason)
        } else {
            self = .serverFailed(reason)
        }
    }

    private static func permanent(_ answer: SMTPAnswer, _ reason: String) -> MailVerdict {
        let isTooLarge = answer.code == 552 || answer.status == SMTPStatus(5, 3, 4)
        if answer.step == .sender, !isTooLarge { return .serverFailed(reason) }
        guard let status = answer.status, status.kind == 5 else { return .refused(reason) }
        let isAddressDead =
            status.subject == 1 && deadAddressDetails.contains(status.detail)
            || status == SMTPStatus(5, 2, 1)
        return isAddressDead ? .addressDead(reason) : .refused(reason)
    }

    /// Why the server itself failed, for the log; nil where it answered.
    var serverFailure: String? {
        switch self {
        case .uncertain(let reason), .serverFailed(let reason): reason
        case .taken, .addressDead, .refused, .later, .unsupported, .abandoned: nil
        }
    }

    /// What is reported to the server's circuit breaker.
    var breakerOutcome: CircuitBreaker.Outcome {
        switch self {
        case .taken, .addressDead, .refused, .later, .unsupported: .answered
        case .uncertain, .serverFailed: .failed
        case .abandoned: .abandoned
        }
    }
}
