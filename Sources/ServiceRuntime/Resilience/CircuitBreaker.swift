/// Stops calls to a target that fails. Callers get an error at once instead of waiting for a
/// timeout, and the target gets time to recover. Pure: takes times and outcomes, returns
/// permissions.
///
/// | state | event | next state | returned |
/// |---|---|---|---|
/// | closed | a call ends, fewer than ten of the last 20 failed | closed | |
/// | closed | the tenth failure among the last 20 calls | open for 1 s | `opened` |
/// | open | `admit` before the wait is over | open | `barred` until then |
/// | open | `admit` after the wait | probing | `probe` |
/// | open | `foundAgain`: the target was reached | open, wait over | |
/// | probing | `admit` | probing | `barred` |
/// | probing | the probe was answered | closed, window empty | `closed` |
/// | probing | the probe failed | open, twice as long, 30 s at most | `opened` |
/// | probing | the caller abandoned the probe | open, wait over | |
/// | any | a call ends that began before the current state | unchanged | |
///
/// The probe is the next call, or one that the owner makes for this purpose, as the RPC client does.
package struct CircuitBreaker: Hashable, Sendable {
    /// How many of the last calls are counted.
    package static let windowCalls = 20
    /// The breaker opens at this number of failures within the window.
    package static let failuresMax = 10
    /// How long the breaker stays open the first time.
    package static let firstWait = Duration.seconds(1)
    /// The longest time that the breaker stays open.
    package static let longestWait = Duration.seconds(30)

    /// The state of the breaker.
    package enum State: Hashable, Sendable {
        /// Calls pass, and their outcomes are counted.
        case closed(Window)
        /// No call passes before `until`.
        case open(until: Duration, wait: Duration)
        /// One call, the probe, is in flight. Its outcome decides the next state.
        case probing(wait: Duration)
    }

    /// The answer to a call that requests to pass.
    package enum Permission: Hashable, Sendable {
        /// The call may pass.
        case pass
        /// The call may pass as the probe that tests whether the target works again.
        case probe
        /// The call may not pass before this moment.
        case barred(until: Duration)
    }

    /// The outcome of a call that passed.
    package enum Outcome: Hashable, Sendable {
        /// The target answered, with a success or an error of its own.
        case answered
        /// The transport failed or the deadline passed.
        case failed
        /// The caller abandoned the call, so it does not show whether the target works.
        case abandoned
    }

    /// The change of state that an outcome caused.
    package enum Change: Hashable, Sendable {
        case opened(wait: Duration)
        case closed
    }

    /// How long callers are barred while a probe is in flight.
    package static let probeTimeout = Duration.seconds(1)

    /// The current state.
    package private(set) var state = State.closed(Window())

    /// A closed breaker with an empty window.
    package init() {}

    /// Whether a call may pass at `uptime`. Changes nothing, so that a caller can compare targets
    /// before it chooses one. The clock is read only where the state needs it.
    package func permission(at uptime: @autoclosure () -> Duration) -> Permission {
        switch state {
        case .closed: return .pass
        case .open(let until, _): return until <= uptime() ? .probe : .barred(until: until)
        case .probing: return .barred(until: uptime() + Self.probeTimeout)
        }
    }

    /// Decides whether a call may pass, and makes it the probe where one is due.
    package mutating func admit(at uptime: @autoclosure () -> Duration) -> Permission {
        let permission = permission(at: uptime())
        if permission == .probe, case .open(_, let wait) = state { state = .probing(wait: wait) }
        return permission
    }

    /// Records the outcome of a call that passed with `permission`.
    package mutating func ended(
        _ permission: Permission, _ outcome: Outcome, at uptime: @autoclosure () -> Duration
    ) -> Change? {
        switch (state, permission) {
        case (.closed(var window), .pass) where outcome != .abandoned:
            window.append(isFailure: outcome == .failed)
            state = .closed(window)
            guard window.failures >= Self.failuresMax else { return nil }
            return open(for: Self.firstWait, at: uptime())
        case (.probing(let wait), .probe):
            switch outcome {
            case .failed: return open(for: min(wait * 2, Self.longestWait), at: uptime())
            case .abandoned: state = .open(until: uptime(), wait: wait)
            case .answered:
                state = .closed(Window())
                return .closed
            }
            return nil
        default: return nil
        }
    }

    /// The target was reached in another way (a connection is open), so the next call is the probe.
    package mutating func foundAgain(at uptime: @autoclosure () -> Duration) {
        guard case .open(let until, let wait) = state else { return }
        state = .open(until: min(until, uptime()), wait: wait)
    }

    private mutating func open(for wait: Duration, at uptime: Duration) -> Change {
        state = .open(until: uptime + wait, wait: wait)
        return .opened(wait: wait)
    }

    /// The outcomes of the last calls: one bit each, the latest in the lowest bit, 1 for a failure.
    package struct Window: Hashable, Sendable {
        private static let mask: UInt32 = 1 << CircuitBreaker.windowCalls - 1
        private var bits: UInt32 = 0

        /// An empty window: calls that have not happened count as successes.
        package init() {}

        /// The number of failures in the window.
        package var failures: Int { bits.nonzeroBitCount }

        /// Adds one outcome and drops the oldest.
        package mutating func append(isFailure: Bool) {
            bits = (bits << 1 | (isFailure ? 1 : 0)) & Self.mask
        }
    }
}
