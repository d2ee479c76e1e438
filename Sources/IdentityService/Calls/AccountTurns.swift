package import ServiceRuntime
import Synchronization

/// Lets one call at a time change an account's documents, in the order of arrival (I-07).
///
/// Documents are prepared outside of the transaction, from what was read before
/// (`DocumentsHandler.change`). Of several calls at one time, the first that is written would
/// make what the others have read out of date, and they would do their work again: n calls n²/2
/// times. So each waits before it reads. One account also prepares long documents on one thread at
/// most.
package final class AccountTurns: Sendable {
    /// Calls of one account that wait: twice as many as its limit on writes allows in a minute.
    static let waitingMax = 128
    /// The wait in the error of a refused call.
    private static let retryAfter = Duration.milliseconds(250)

    private enum Outcome { case begun, refused, cancelled }

    private struct Waiting {
        let number: UInt64
        let turn: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        /// The calls that wait, for each account of which one has its turn.
        var lines: [AccountID: [Waiting]] = [:]
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    /// No call waits.
    package init() {}

    /// Runs `body` when all earlier calls about the account have ended.
    /// - Throws: `rpc/resource-exhausted` when too many wait; `rpc/cancelled`, not processed, when
    ///   the caller has gone; what `body` throws.
    package func inTurn<Value: Sendable>(
        of account: AccountID, _ body: () async throws -> Value
    ) async throws -> Value {
        if !beginsAtOnce(account) {
            switch await wait(for: account) {
            case .begun: break
            case .refused: throw ServiceError(.resourceExhausted, retryAfter: Self.retryAfter)
            case .cancelled: throw ServiceError(.cancelled, notProcessed: true)
            }
        }
        defer { endTurn(of: account) }
        return try await body()
    }

    /// How many calls about an account wait.
    func waiting(for account: AccountID) -> Int {
        state.withLock { $0.lines[account]?.count ?? 0 }
    }

    /// Takes the turn if the account is free, as it is for nearly all calls: they need neither a
    /// place in a line nor a continuation.
    private func beginsAtOnce(_ account: AccountID) -> Bool {
        state.withLock { state in
            guard state.lines[account] == nil else { return false }
            state.lines[account] = []
            return true
        }
    }

    private func wait(for account: AccountID) async -> Outcome {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let outcome = enter(account, Waiting(number: number, turn: turn))
                if let outcome { turn.resume(returning: outcome) }
            }
        } onCancel: {
            leave(account, number)
        }
    }

    /// - Returns: nil if the call waits.
    private func enter(_ account: AccountID, _ waiting: Waiting) -> Outcome? {
        state.withLock { state in
            guard let line = state.lines[account] else {
                state.lines[account] = []
                return .begun
            }
            guard line.count < Self.waitingMax else { return .refused }
            // A cancellation before this line has not found the call in it.
            if Task.isCancelled { return .cancelled }
            state.lines[account]?.append(waiting)
            return nil
        }
    }

    private func leave(_ account: AccountID, _ number: UInt64) {
        let left = state.withLock { state -> Waiting? in
            guard let place = state.lines[account]?.firstIndex(where: { $0.number == number })
            else { return nil }
            return state.lines[account]?.remove(at: place)
        }
        left?.turn.resume(returning: .cancelled)
    }

    private func endTurn(of account: AccountID) {
        let next = state.withLock { state -> Waiting? in
            guard state.lines[account]?.isEmpty == false else {
                state.lines[account] = nil
                return nil
            }
            return state.lines[account]?.removeFirst()
        }
        next?.turn.resume(returning: .begun)
    }
}
