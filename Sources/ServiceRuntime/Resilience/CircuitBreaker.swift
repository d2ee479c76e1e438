/// Keeps calls away from a target that fails, so that its callers are told at once instead of
/// waiting, and it has the time to recover. Pure: time and outcomes go in, permission comes out.
///
/// | state | event | next | told |
/// |---|---|---|---|
/// | closed | a call ends, under ten of the last 20 failed | closed | |
/// | closed | the tenth failure among the last 20 | open for 1 s | opened |
/// | open | `admit` before the wait is over | open | barred until then |
/// | open | `admit` after it | probing | that one call is the probe |
/// | open | `foundAgain`: the target was reached | open, its wait over | |
/// | probing | `admit` | probing | barred |
/// | probing | the probe was answered | closed, nothing counted | closed |
/// | probing | the probe failed | open, twice as long, 30 s at most | opened |
/// | probing | the probe was given up by its caller | open, its wait over | |
/// | any | a call ends that began before the state did | as it was | |
package struct CircuitBreaker: Hashable, Sendable {
    /// How many of the last calls are looked at.
    package static let windowCalls = 20
    /// So many failures among them open it.
    package static let failuresMax = 10
    /// How long it stays open the first time.
    package static let firstWait = Duration.seconds(1)
    /// How long it stays open at the most.
    package static let longestWait = Duration.seconds(30)

    /// Where it stands.
    package enum State: Hashable, Sendable {
        /// Calls pass; their ends are counted.
        case closed(CallWindow)
        /// Nothing passes before `until`.
        case open(until: Duration, wait: Duration)
        /// One call is on its way; what becomes of it decides.
        case probing(wait: Duration)
    }

    /// What a call is told that asks to pass.
    package enum Permission: Hashable, Sendable {
        /// Like any other.
        case pass
        /// The one that tries whether the target works again.
        case probe
        /// Not now, nor before this moment.
        case barred(until: Duration)
    }

    /// How a call that passed has ended.
    package enum Outcome: Hashable, Sendable {
        /// The target answered, whatever it said.
        case answered
        /// The transport or the deadline ended it.
        case failed
        /// Its caller gave it up; it says nothing of the target.
        case abandoned
    }

    /// What an outcome changed.
    package enum Change: Hashable, Sendable {
        case opened(wait: Duration)
        case closed
    }

    /// What it says of a target that is being probed: try again in a while.
    private static let probePatience = Duration.seconds(1)

    /// Where it stands.
    package private(set) var state = State.closed(CallWindow())

    /// Closed, with nothing counted.
    package init() {}

    /// Whether a call may pass at `uptime`; changes nothing, so that a target can be chosen first.
    /// The clock is only read where it matters.
    package func permission(at uptime: @autoclosure () -> Duration) -> Permission {
        switch state {
        case .closed: return .pass
        case .open(let until, _): return until <= uptime() ? .probe : .barred(until: until)
        case .probing: return .barred(until: uptime() + Self.probePatience)
        }
    }

    /// Lets a call pass, or not.
    package mutating func admit(at uptime: @autoclosure () -> Duration) -> Permission {
        let permission = permission(at: uptime())
        if permission == .probe, case .open(_, let wait) = state { state = .probing(wait: wait) }
        return permission
    }

    /// A call that passed with `permission` has ended.
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
                state = .closed(CallWindow())
                return .closed
            }
            return nil
        default: return nil
        }
    }

    /// The target was reached by another way (a connection stands): the next call is the probe.
    package mutating func foundAgain(at uptime: @autoclosure () -> Duration) {
        guard case .open(let until, let wait) = state else { return }
        state = .open(until: min(until, uptime()), wait: wait)
    }

    private mutating func open(for wait: Duration, at uptime: Duration) -> Change {
        state = .open(until: uptime + wait, wait: wait)
        return .opened(wait: wait)
    }
}

/// How the last calls ended: a bit for each, the latest lowest.
package struct CallWindow: Hashable, Sendable {
    private static let mask: UInt32 = 1 << CircuitBreaker.windowCalls - 1
    private var bits: UInt32 = 0

    /// Nothing yet, which counts as well.
    package init() {}

    /// Failures among them.
    package var failures: Int { bits.nonzeroBitCount }

    /// One more; the oldest is forgotten.
    package mutating func append(isFailure: Bool) {
        bits = (bits << 1 | (isFailure ? 1 : 0)) & Self.mask
    }
}
