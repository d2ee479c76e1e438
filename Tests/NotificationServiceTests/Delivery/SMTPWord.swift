import Outbound

/// A mail server's word, short enough for a table.
enum SMTPWord: Sendable {
    case accepted
    case refused(Int)
    case unreachable

    var outcome: SMTPOutcome {
        switch self {
        case .accepted: .accepted
        case .refused(let code): .refused(code: code)
        case .unreachable: .failed(.unreachable)
        }
    }
}
