import HTTPTypes
import Logging
import Messages
import RPC
import ServiceRuntime

/// A call that fails: the error that crosses to the client, and what HTTP adds to it.
struct CallFailure: Error, Hashable, Sendable {
    var error: ServiceError
    /// The reason in English for a developer, with the code at the start. It is sent.
    let message: String
    /// The status of the response, where the protocol has no framing.
    var status: HTTPResponse.Status
    /// Fields of the response that say more about the failure.
    var fields = HTTPFields()

    /// The status in gRPC and Connect. A message over a limit is `resource_exhausted`, as gRPC's
    /// libraries have it ("Status codes and their use in gRPC" in https://github.com/grpc/grpc).
    /// The catalogue's error with that status would tell the client to try again, so it is not
    /// used.
    var callStatus: StatusCode {
        status == .contentTooLarge ? .resourceExhausted : error.status
    }

    /// A failure that this program finds.
    /// - Parameter reason: a sentence for a developer.
    init(
        _ code: ErrorCode, _ reason: String, violations: [String] = [],
        status: HTTPResponse.Status? = nil, fields: HTTPFields = [:]
    ) {
        error = ServiceError(code, fields: violations, detail: reason)
        message = "\(code.rawValue): \(reason)"
        self.status = status ?? error.status.httpStatus
        self.fields = fields
    }

    /// The failure for any error that a call throws. The text of an error that is not meant for
    /// callers stays in this program.
    init(_ error: any Error) {
        switch error {
        case let failure as CallFailure: self = failure
        case let error as ServiceError: self.init(service: error)
        case let failure as HTTPFailure:
            let code: ErrorCode =
                switch failure.status {
                case .requestTimeout: .deadlineExceeded
                case let status where status.kind == .serverError: .unavailable
                default: .invalidArgument
                }
            self.init(code, failure.reason, status: failure.status)
        case let error as MessageError:
            self.init(.invalidArgument, "The message does not decode: \(error).")
        default: self.init(.internalError, "The web service failed.")
        }
    }

    /// The same, which logs an error of this program's own; the gateway has logged its errors. Only
    /// the type of an unknown one: its text may hold what the client sent.
    init(_ error: any Error, logger: Logger) {
        self.init(error)
        guard self.error.code == .internalError, !(error is ServiceError) else { return }
        let reason = error is CallFailure ? message : "\(type(of: error))"
        logger.error("web.call.failed", "answering a call failed", fields: [.detail: .text(reason)])
    }

    private init(service error: ServiceError) {
        self.error = error
        // A rule without a sentence is a word for developers: `application-token: audience`.
        let fields = error.violations.map { violation in
            let reason = violation.userMessage.isEmpty ? violation.rule : violation.userMessage
            return reason.isEmpty ? violation.field : "\(violation.field): \(reason)"
        }
        message =
            "\(error.code.rawValue): \(error.catalogueSentence(in: .english))"
            + (fields.isEmpty ? "" : " (\(fields.joined(separator: "; ")))")
        status = error.status.httpStatus
        if let seconds = error.retryAfterSeconds,
            status == .tooManyRequests || status == .serviceUnavailable
        {
            self.fields[.retryAfter] = "\(seconds)"
        }
    }

    /// Bytes of a reason that quotes the caller's input: gRPC sends it in a header field.
    private static let quotedBytesMax = 300

    /// JSON that does not fit the method's message.
    init(_ error: MappingError, of type: String) {
        let field = Self.protoPath(error.path)
        let reason = String(
            decoding: error.description.utf8.prefix(Self.quotedBytesMax), as: UTF8.self)
        self.init(
            .invalidArgument, "\(type): \(reason).", violations: field.isEmpty ? [] : [field])
    }

    /// A message over the limit.
    static func tooLarge(bytesMax: Int) -> CallFailure {
        CallFailure(
            .invalidArgument, "A message may have at most \(bytesMax) bytes.",
            status: .contentTooLarge)
    }

    /// A path of JSON names in the names of the `.proto`, as all violations have them:
    /// `device.deviceId` → `device.device_id`.
    static func protoPath(_ path: String) -> String {
        path.lowercased(joiningWordsBy: "_")
    }
}

extension ServiceError {
    /// The value of `retry-after`: whole seconds, rounded up, so that no retry comes too early.
    var retryAfterSeconds: Int64? {
        retryAfter.map { wait in
            let milliseconds = max(1, wait.milliseconds)
            return milliseconds / 1_000 + (milliseconds % 1_000 == 0 ? 0 : 1)
        }
    }
}

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
