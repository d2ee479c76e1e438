import ServiceRuntime

/// Which of the engine's errors callers are told to wait out.
enum StoreTrouble {
    /// How long a caller waits before a disk may have room, or be there, again.
    static let retryAfter: Duration = .seconds(1)

    /// What of an error is trouble of the disk, in words that health shows; nil for all else.
    static func ofDisk(_ error: any Error) -> String? {
        guard let error = error as? SQLError else { return nil }
        return switch error.kind {
        case .busy, .full, .readOnly, .inputOutput: error.kind.word
        case .constraint, .corrupt, .unexpectedValue, .misuse, .other: nil
        }
    }

    /// The error for the caller: trouble of the disk becomes `unavailable` with a time to wait, all
    /// else stays what it is, so that a flow can tell a broken constraint.
    static func answer(to error: any Error) -> any Error {
        guard ofDisk(error) != nil else { return error }
        return ServiceError(
            .unavailable, retryAfter: retryAfter, fields: ["store"], detail: "store: \(error)")
    }

    /// The error for a caller whom a queue did not take.
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
