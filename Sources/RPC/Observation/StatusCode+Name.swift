import Messages
package import ServiceRuntime

extension StatusCode {
    /// Number of status codes; they are numbered from 0.
    static let count = 17

    /// The name in metrics and logs.
    package var name: String {
        switch self {
        case .ok: "ok"
        case .cancelled: "cancelled"
        case .unknown: "unknown"
        case .invalidArgument: "invalid_argument"
        case .deadlineExceeded: "deadline_exceeded"
        case .notFound: "not_found"
        case .alreadyExists: "already_exists"
        case .permissionDenied: "permission_denied"
        case .resourceExhausted: "resource_exhausted"
        case .failedPrecondition: "failed_precondition"
        case .aborted: "aborted"
        case .outOfRange: "out_of_range"
        case .unimplemented: "unimplemented"
        case .internal: "internal"
        case .unavailable: "unavailable"
        case .dataLoss: "data_loss"
        case .unauthenticated: "unauthenticated"
        }
    }

    /// The status that a caller gets when a handler throws `error`.
    init(answering error: any Error) {
        switch error {
        case let error as ServiceError: self = error.status
        case is MessageError: self = .invalidArgument
        case is CancellationError: self = .cancelled
        default: self = .internal
        }
    }
}
