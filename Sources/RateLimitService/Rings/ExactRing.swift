import ServiceRuntime

/// The moments of the charges that still count, oldest first: exact, where counters for each
/// calendar window let twice as many through at an edge.
///
/// Rule, for a charge at `now` under N in W:
///
///     charges younger than W   answer
///     0 … N−1                  allowed; `now` is kept
///     N                        limited until the oldest is W old; nothing is kept
///
/// A charge counts while it is younger than W: in no half-open span of W are there more than N.
/// A clock that went backwards cannot free anything: moments from the future count.
struct ExactRing: Hashable, Sendable {
    /// What a charge may do.
    enum Verdict: Hashable {
        case allowed(remaining: Int)
        case limited(until: Timestamp)
    }

    /// Oldest first.
    private(set) var moments: [Timestamp]

    init(_ moments: [Timestamp] = []) {
        self.moments = moments
    }

    /// What a charge at `now` may do; changes nothing.
    func verdict(at now: Timestamp, _ rule: LimitRule) -> Verdict {
        let living = moments.drop { now - $0 >= rule.window }
        guard living.count >= rule.count else {
            return .allowed(remaining: rule.count - living.count - 1)
        }
        return .limited(until: living[living.endIndex - rule.count] + rule.window)
    }

    /// Keeps a charge that was allowed.
    mutating func charge(at now: Timestamp, _ rule: LimitRule) {
        expire(at: now, rule)
        let place = moments.firstIndex { $0 > now } ?? moments.endIndex
        moments.insert(now, at: place)
    }

    /// Takes one charge of that moment back, if it still counts.
    mutating func refund(_ moment: Timestamp) {
        if let place = moments.firstIndex(of: moment) { moments.remove(at: place) }
    }

    /// Forgets what no longer counts.
    mutating func expire(at now: Timestamp, _ rule: LimitRule) {
        moments.removeAll { now - $0 >= rule.window }
    }

    /// When nothing of it counts any more.
    func end(_ rule: LimitRule) -> Timestamp? { moments.last.map { $0 + rule.window } }
}
