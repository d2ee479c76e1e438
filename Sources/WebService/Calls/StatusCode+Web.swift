import HTTPTypes
import RPC
import ServiceRuntime

/// The result of a call as Connect and HTTP name it
/// (https://connectrpc.com/docs/protocol#error-codes).
extension StatusCode {
    /// Connect's name of an error.
    var connectName: String { self == .cancelled ? "canceled" : name }

    /// The status of a unary response in Connect.
    var httpStatus: HTTPResponse.Status {
        switch self {
        case .ok: .ok
        case .cancelled: 499
        case .invalidArgument, .failedPrecondition, .outOfRange: .badRequest
        case .unauthenticated: .unauthorized
        case .permissionDenied: .forbidden
        case .notFound: .notFound
        case .alreadyExists, .aborted: .conflict
        case .resourceExhausted: .tooManyRequests
        case .unimplemented: .notImplemented
        case .unavailable: .serviceUnavailable
        case .deadlineExceeded: .gatewayTimeout
        case .unknown, .internal, .dataLoss: .internalServerError
        }
    }
}
