/// Work that a caller has queued for a thread of the store, with the caller's types erased.
struct Queued<Source>: Sendable {
    /// Returns the work's value to the caller.
    typealias Answer = @Sendable () -> Void

    /// Runs the work; the returned closure is called after the commit, or once the snapshot has
    /// ended.
    let run: @Sendable (Source) throws -> Answer
    /// Fails the caller with an error instead.
    let fail: @Sendable (any Error) -> Void

    /// Wraps `work` for the caller that waits on `continuation`.
    init<Value: Sendable>(
        _ continuation: CheckedContinuation<Value, any Error>,
        _ work: @escaping @Sendable (Source) throws -> Value
    ) {
        run = { source in
            let value = try work(source)
            return { continuation.resume(returning: value) }
        }
        fail = { continuation.resume(throwing: $0) }
    }
}

/// A flow for the writer: one caller's transaction.
typealias QueuedFlow = Queued<Transaction>
/// A query for a reader.
typealias QueuedQuery = Queued<any SQLSession>
