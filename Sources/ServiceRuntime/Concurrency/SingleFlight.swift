/// At most one run of an operation at a time, whose outcome all callers share that arrive while it
/// runs. A value without a lock of its own: it is part of the state that its owner guards, so that
/// the decision to start and the start are one step.
package struct SingleFlight<Success: Sendable, Failure: Error>: Sendable {
    /// The run in progress.
    package private(set) var running: Task<Success, Failure>?

    /// Nothing runs.
    package init() {}

    /// The run has ended; the next caller starts another. The operation calls this itself, in the
    /// same step in which it stores its outcome.
    package mutating func end() { running = nil }
}

extension SingleFlight where Failure == Never {
    /// Joins the run in progress, or starts one.
    ///
    /// The run is a task of its own and no child of the caller's: others wait for it too, and the
    /// cancellation of one caller must not cancel it for them.
    @discardableResult
    package mutating func join(
        _ operation: @escaping @Sendable () async -> Success
    ) -> Task<Success, Never> {
        if let running { return running }
        let task = Task { await operation() }
        running = task
        return task
    }
}

extension SingleFlight where Failure == any Error {
    /// As `join` of an operation that does not throw.
    package mutating func join(
        _ operation: @escaping @Sendable () async throws -> Success
    ) -> Task<Success, any Error> {
        if let running { return running }
        let task = Task { try await operation() }
        running = task
        return task
    }
}
