/// A flow queued for the writer, with the caller's types erased.
struct QueuedFlow: Sendable {
    /// Returns the flow's value to the caller.
    typealias Answer = @Sendable () -> Void

    /// Runs the flow; the returned closure is called after the commit.
    let run: @Sendable (Transaction) throws -> Answer
    /// Fails the caller with an error instead.
    let fail: @Sendable (any Error) -> Void

    /// Wraps `flow` for the caller that waits on `continuation`.
    init<Value: Sendable>(
        _ continuation: CheckedContinuation<Value, any Error>,
        _ flow: @escaping @Sendable (Transaction) throws -> Value
    ) {
        run = { transaction in
            let value = try flow(transaction)
            return { continuation.resume(returning: value) }
        }
        fail = { continuation.resume(throwing: $0) }
    }
}
