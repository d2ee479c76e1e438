import Synchronization

/// Work that a caller has queued for a thread of the store, with the caller's types erased.
///
/// Work whose caller has gone is not begun: the rpc runtime cancels the task of a call when its
/// deadline passes, when its caller cancels, and when the connection is lost. Otherwise calls that
/// were given up would occupy the writer long after the last of them, and their callers' retries
/// would come on top. Work that has begun runs to its end.
package struct Queued<Source>: Sendable {
    /// Returns the work's value to the caller.
    package typealias Answer = @Sendable () -> Void

    /// Runs the work; the returned closure is called after the commit, or once the snapshot has
    /// ended.
    /// - Throws: what the work throws; `CallerGone`.
    package let run: @Sendable (Source) throws -> Answer
    /// Fails the caller with an error instead.
    package let fail: @Sendable (any Error) -> Void
    /// Nil for work that runs in any case.
    private let caller: QueuedCaller?

    /// Wraps `work` for the caller that waits on `continuation`.
    package init<Value: Sendable>(
        _ continuation: CheckedContinuation<Value, any Error>, of caller: QueuedCaller? = nil,
        _ work: @escaping @Sendable (Source) throws -> Value
    ) {
        run = { source in
            // Asked once more, since other work of its group may have taken long.
            guard caller?.isGone != true else { throw CallerGone() }
            let value = try work(source)
            return { continuation.resume(returning: value) }
        }
        fail = { continuation.resume(throwing: $0) }
        self.caller = caller
    }

    /// Whether the caller has gone, so that the work must not begin.
    package var isGone: Bool { caller?.isGone ?? false }
}

extension Queued {
    /// Queues `work` by `offer`, and returns its value.
    /// - Parameter evenIfCancelled: the work runs although its task is cancelled.
    /// - Throws: what `work` throws; `QueueRefusal`; `CallerGone`.
    static func value<Value: Sendable>(
        evenIfCancelled: Bool, of work: @escaping @Sendable (Source) throws -> Value,
        offer: (Queued<Source>) throws(QueueRefusal) -> Void
    ) async throws -> Value {
        let caller = evenIfCancelled ? nil : QueuedCaller()
        guard caller == nil || !Task.isCancelled else { throw CallerGone() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                do throws(QueueRefusal) {
                    try offer(Queued(continuation, of: caller, work))
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            caller?.leave()
        }
    }

    /// Runs work that needs neither a commit nor a snapshot, and answers its caller.
    /// - Returns: whether it succeeded.
    @discardableResult
    func perform(_ source: Source) -> Bool {
        do {
            let answer = try run(source)
            answer()
            return true
        } catch {
            fail(StoreFailure.answer(to: error))
            return false
        }
    }
}

/// The caller of queued work, as the thread sees it that takes the work.
package final class QueuedCaller: Sendable {
    private let hasLeft = Atomic(false)

    /// A caller that waits.
    package init() {}

    /// Whether its task was cancelled.
    package var isGone: Bool { hasLeft.load(ordering: .relaxed) }

    /// Its task was cancelled.
    package func leave() { hasLeft.store(true, ordering: .relaxed) }
}

/// The caller went before the work began, so nothing was done.
struct CallerGone: Error {}
