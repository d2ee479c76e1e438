import Outbound

/// A mail server's word, short enough for a table.
enum SMTPWord: Sendable {
    case accepted
    case refused(Int)
    case unreachable

    var outcome: SMTPOutcome {
        switch self {
        case .accepted: .accepted
        case .refused(let code): .refused(SMTPAnswer(step: .message, code: code, status: nil))
        case .unreachable: .failed(.unreachable)
        }
    }
}
