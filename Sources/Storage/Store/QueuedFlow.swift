/// A flow on its way to the writer, its caller's types erased.
struct QueuedFlow: Sendable {
    /// Gives the caller the flow's value.
    typealias Answer = @Sendable () -> Void

    /// Runs the flow; its answer is given after the commit.
    let run: @Sendable (Transaction) throws -> Answer
    /// Gives the caller an error instead.
    let fail: @Sendable (any Error) -> Void

    /// `flow`, for the caller that waits on `continuation`.
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
