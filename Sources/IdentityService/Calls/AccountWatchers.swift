import RPC
package import ServiceRuntime
import Synchronization

/// The streams that wait for changes of one kind of an account's data: its documents, migrations,
/// or export. They are woken after the commit, and read what has changed from the store.
package final class AccountWatchers: Sendable {
    /// Streams of one account: several devices, each with a few.
    static let perAccountMax = 10
    /// Streams in all, some 20 KiB each with their calls.
    static let countMax = 10_000
    /// The longest time between two checks of a stream's access token.
    static let checkInterval: Duration = .seconds(30)

    private struct State {
        var signals: [AccountID: [WakeSignal]] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// No stream waits.
    package init() {}

    /// Runs `body` with a signal that is sent after each change of the account's data.
    /// - Throws: `rpc/resource-exhausted` when too many streams wait; what `body` throws.
    package func watching(
        _ account: AccountID, _ body: (WakeSignal) async throws -> Void
    ) async throws {
        let signal = WakeSignal()
        try join(signal, account)
        defer { leave(signal, account) }
        try await body(signal)
    }

    /// Calls `step` at once, after each change of the account's data, and at least every
    /// `checkInterval`, until it returns nil.
    /// - Parameter step: Checks the stream's access token, sends the changes, and returns when the
    ///   token expires; nil to end the stream.
    /// - Throws: as `watching`; what `step` throws; `CancellationError` when the call is over.
    package func following(
        _ account: AccountID, _ time: any Time, _ step: () async throws -> Timestamp?
    ) async throws {
        try await watching(account) { signal in
            while let expiresAt = try await step() {
                // The clock of the session service, which judges the token, may be behind.
                let life = max(expiresAt - time.now(), .seconds(1))
                await signal.wait(atMost: min(Self.checkInterval, life), time: time)
                try Task.checkCancellation()
            }
        }
    }

    /// Wakes the streams of an account. Called after the commit.
    package func changed(_ account: AccountID) {
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
            throw ServiceError(.resourceExhausted, detail: "too many streams of changes")
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

extension CallContext {
    /// The context of one check of an access token. A stream may last for an hour, the check not.
    /// Attack: while session hangs, streams with invented tokens take all places.
    func ofCheck(_ time: any Time) -> CallContext {
        let end = time.uptime() + .seconds(10)
        guard end < deadline else { return self }
        return CallContext(application: application, deadline: end, metadata: metadata)
    }
}
