/// A query queued for a reader, with the caller's types erased.
struct QueuedQuery: Sendable {
    /// Runs the query; the returned closure is called once the snapshot has ended.
    let run: @Sendable (any SQLSession) throws -> QueuedFlow.Answer
    /// Fails the caller with an error instead.
    let fail: @Sendable (any Error) -> Void

    /// Wraps `query` for the caller that waits on `continuation`.
    init<Value: Sendable>(
        _ continuation: CheckedContinuation<Value, any Error>,
        _ query: @escaping @Sendable (any SQLSession) throws -> Value
    ) {
        run = { session in
            let value = try query(session)
            return { continuation.resume(returning: value) }
        }
        fail = { continuation.resume(throwing: $0) }
    }
}
