import ServiceRuntime

/// Maps the engine's errors to those that callers should retry.
enum StoreTrouble {
    /// The retry delay sent to a caller when the disk fails or is full.
    static let retryAfter: Duration = .seconds(1)

    /// A short description of a disk error for health; nil for all other errors.
    static func ofDisk(_ error: any Error) -> String? {
        guard let error = error as? SQLError else { return nil }
        return switch error.kind {
        case .busy, .full, .readOnly, .inputOutput: error.kind.word
        case .constraint, .corrupt, .unexpectedValue, .misuse, .other: nil
        }
    }

    /// The error for the caller: a disk error becomes `unavailable` with a retry delay; all others
    /// are returned unchanged, so that a flow can recognise a constraint violation.
    static func answer(to error: any Error) -> any Error {
        guard ofDisk(error) != nil else { return error }
        return ServiceError(
            .unavailable, retryAfter: retryAfter, fields: ["store"], detail: "store: \(error)")
    }

    /// The error for a caller that a queue refused.
    static func answer<Element>(
        to refusal: WorkQueue<Element>.Refusal, retryAfter: Duration
    ) -> ServiceError {
        switch refusal {
        case .full:
            ServiceError(
                .resourceExhausted, retryAfter: retryAfter, detail: "store: too many wait",
                notProcessed: true)
        case .closed:
            ServiceError(.unavailable, detail: "store: closed", notProcessed: true)
        }
    }
}
