package import Messages
package import ServiceRuntime

extension WireV1.Response {
    /// The Response for `error`: the catalogue's entry and the values of this occurrence.
    package init(call: UInt64, _ error: ServiceError) {
        self.init(
            call: call, status: UInt32(error.status.rawValue), notProcessed: error.notProcessed,
            message: error.code.rawValue, error: WireV1.Error(error))
    }
}

extension WireV1.Error {
    /// The catalogue's entry and the values of this occurrence.
    package init(_ error: ServiceError) {
        let entry = error.code.entry
        self.init(
            code: error.code.rawValue, userMessage: error.userMessage,
            retryable: entry.isRetryable,
            retryAfterMs: max(0, error.retryAfter?.milliseconds ?? 0),
            action: entry.next.rawValue,
            violations: error.violations.map {
                WireV1.Violation(field: $0.field, rule: $0.rule, sentence: $0.userMessage)
            },
            acceptableProofs: error.acceptableProofs, alternatives: error.alternatives,
            unavailablePart: error.unavailablePart,
            secondProof: error.secondProof.map {
                WireV1.SecondProof(
                    challenge: $0.challenge, kinds: $0.kinds, expiresAtMs: $0.expiresAtMs,
                    hints: $0.hints)
            },
            currentVersion: error.currentVersion,
            documentQuota: error.documentQuota.map {
                WireV1.DocumentQuota(
                    documents: $0.documents, documentsMax: $0.documentsMax, bytes: $0.bytes,
                    bytesMax: $0.bytesMax)
            }, unitsNeeded: error.unitsNeeded)
    }
}

extension ServiceError {
    /// The error in a Response that is not OK. A code that this program's catalogue does not have,
    /// from a newer peer, becomes the closest code with the same status.
    package init(_ response: WireV1.Response) {
        let code = response.error.flatMap { ErrorCode(rawValue: $0.code) }
        let milliseconds = response.error?.retryAfterMs ?? 0
        self.init(
            code ?? Self.nearest(response.status),
            retryAfter: milliseconds > 0 ? .milliseconds(milliseconds) : nil,
            unavailablePart: response.error?.unavailablePart ?? "",
            detail: "peer error: \(response.message)", notProcessed: response.notProcessed)
        guard let error = response.error else { return }
        violations = error.violations.map(Violation.init)
        acceptableProofs = error.acceptableProofs
        alternatives = error.alternatives
        secondProof = error.secondProof.map {
            SecondProof(
                challenge: $0.challenge, kinds: $0.kinds, expiresAtMs: $0.expiresAtMs,
                hints: $0.hints)
        }
        currentVersion = error.currentVersion
        documentQuota = error.documentQuota.map {
            DocumentQuota(
                documents: $0.documents, documentsMax: $0.documentsMax, bytes: $0.bytes,
                bytesMax: $0.bytesMax)
        }
        unitsNeeded = error.unitsNeeded
        // Only if it differs from the catalogue's text; otherwise every error would carry a copy of
        // it.
        if !error.userMessage.isEmpty, error.userMessage != userMessage {
            sentence = error.userMessage
        }
    }

    /// The error that a caller gets when a handler throws `error`. Only the catalogue's codes are
    /// sent to peers: any other error becomes `rpc/internal`, and its text stays in the log.
    init(answering error: any Error) {
        switch error {
        case let error as ServiceError: self = error
        case let error as MessageError: self.init(.invalidArgument, detail: "\(error)")
        case is CancellationError: self.init(.cancelled)
        default: self.init(.internalError, detail: String(reflecting: error))
        }
    }

    private static func nearest(_ status: UInt32) -> ErrorCode {
        switch StatusCode(rawValue: Int32(clamping: status)) {
        case .cancelled: .cancelled
        case .deadlineExceeded: .deadlineExceeded
        case .invalidArgument, .failedPrecondition, .outOfRange: .invalidArgument
        case .notFound: .notFound
        case .permissionDenied: .permissionDenied
        case .resourceExhausted: .resourceExhausted
        case .unauthenticated: .unauthenticated
        case .unavailable: .unavailable
        case .unimplemented: .unknownMethod
        default: .internalError
        }
    }
}

extension ServiceError.Violation {
    /// A peer's violation. Its sentence is retained only if it differs from the English one, so
    /// that this program can word it in its caller's language.
    fileprivate init(_ message: WireV1.Violation) {
        self.init(field: message.field, rule: message.rule)
        if !message.sentence.isEmpty, message.sentence != userMessage {
            sentence = message.sentence
        }
    }
}

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
    init(answering error: any Error) { self = ServiceError(answering: error).status }
}
