import ServiceRuntime
import Synchronization

/// The streams that wait for changes of an account's documents. They are woken after the commit,
/// and read what has changed from the store.
final class DocumentWatchers: Sendable {
    /// Streams of one account: several devices, each with a few.
    static let perAccountMax = 10
    /// Streams in all, some 20 KiB each with their calls.
    static let countMax = 10_000

    private struct State {
        var signals: [AccountID: [WakeSignal]] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// Runs `body` with a signal that is sent after each change of the account's documents.
    /// - Throws: `rpc/resource-exhausted` when too many streams wait; what `body` throws.
    func watching(
        _ account: AccountID, _ body: (WakeSignal) async throws -> Void
    ) async throws {
        let signal = WakeSignal()
        try join(signal, account)
        defer { leave(signal, account) }
        try await body(signal)
    }

    /// Wakes the streams of an account. Called after the commit.
    func changed(_ account: AccountID) {
        for signal in state.withLock({ $0.signals[account] ?? [] }) { signal.wake() }
    }

    private func join(_ signal: WakeSignal, _ account: AccountID) throws(ServiceError) {
        let isAdmitted = state.withLock { state in
            guard state.count < Self.countMax,
                state.signals[account, default: []].count < Self.perAccountMax
            else { return false }
            state.signals[account, default: []].append(signal)
            state.count += 1
            return true
        }
        guard isAdmitted else {
            throw ServiceError(.resourceExhausted, detail: "too many streams of documents")
        }
    }

    private func leave(_ signal: WakeSignal, _ account: AccountID) {
        state.withLock { state in
            state.count -= 1
            state.signals[account]?.removeAll { $0 === signal }
            // Accounts without streams take no memory.
            if state.signals[account]?.isEmpty == true { state.signals[account] = nil }
        }
    }
}
