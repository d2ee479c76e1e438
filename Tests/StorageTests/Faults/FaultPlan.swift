import Storage
import Synchronization

/// Which calls of the SQL interface fail, and how many of each there were. A test and its
/// `FaultingEngine` share it.
final class FaultPlan: Sendable {
    /// A call of the SQL interface.
    enum Call: CaseIterable, Sendable {
        case open, begin, commit, rollBack, setMark, releaseMark, rollBackToMark, execute, query
    }

    private struct State {
        var counts: [Call: Int] = [:]
        var rules: [(call: Call, from: Int, to: Int, error: SQLError)] = []
    }

    private let state = Mutex(State())

    /// How many calls of this kind there were.
    func count(_ call: Call) -> Int { state.withLock { $0.counts[call, default: 0] } }

    /// Fails the `number`-th call from now, counted from 1.
    func fail(_ call: Call, _ number: Int, _ error: SQLError) {
        state.withLock { state in
            let at = state.counts[call, default: 0] + number
            state.rules.append((call, at, at, error))
        }
    }

    /// Fails all calls of these kinds until `heal`.
    func failAll(_ calls: [Call], _ error: SQLError) {
        state.withLock { state in
            for call in calls { state.rules.append((call, 0, .max, error)) }
        }
    }

    /// Ends all faults.
    func clearFaults() { state.withLock { $0.rules = [] } }

    /// Counts a call.
    /// - Throws: the planned error, if this call is to fail.
    func pass(_ call: Call) throws {
        let error = state.withLock { state -> SQLError? in
            let number = state.counts[call, default: 0] + 1
            state.counts[call] = number
            return state.rules.first {
                $0.call == call && $0.from <= number && number <= $0.to
            }?.error
        }
        if let error { throw error }
    }
}

extension SQLError {
    static let diskFull = SQLError(.full, detail: "injected")
    static let readOnly = SQLError(.readOnly, detail: "injected")
    static let diskFailed = SQLError(.inputOutput, detail: "injected")
}
