/// A query on its way to a reader, its caller's types erased.
struct QueuedQuery: Sendable {
    /// Runs the query; its answer is given once the snapshot has ended.
    let run: @Sendable (any SQLSession) throws -> QueuedFlow.Answer
    /// Gives the caller an error instead.
    let fail: @Sendable (any Error) -> Void

    /// `query`, for the caller that waits on `continuation`.
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
