import ServiceRuntime

/// Decides when a provider's keys are fetched. Pure: takes the state and the time, returns the
/// action.
///
/// | cached keys | the token's key is among them | it is not |
/// |---|---|---|
/// | fresh | use it | fetch and wait |
/// | ageing (last quarter of the lifetime) | use it, fetch in the background | as for fresh keys |
/// | expired, the last fetch succeeded | fetch and wait | as for fresh keys |
/// | expired, the last fetch failed | use it, fetch in the background | as for fresh keys |
/// | none, or expired more than a day ago | fetch and wait | fetch and wait |
///
/// For a key that is not among cached ones, no fetch begins within 30 s of the last one's begin.
/// Until then the key is unknown, or the provider unavailable if that fetch failed.
///
/// After a failed fetch, no fetch begins before its backoff has passed; until then "fetch and wait"
/// becomes "unavailable". While a fetch runs, callers wait for it and no second one begins.
///
/// Attacks and failures that it covers: tokens with invented `kid` values that trigger a request to
/// the provider each; a provider that is down or unreachable and blocks all sign-ins; keys that the
/// provider has withdrawn and that would be accepted forever.
struct JWKSRefreshPolicy: Sendable {
    /// Minimum interval between fetches for an unknown `kid` (Sources/SECURITY.md, Tokens).
    static let unknownKeyInterval: Duration = .seconds(30)
    /// How long expired keys are accepted while the provider cannot be reached.
    static let overdueMax: Duration = .seconds(24 * 3_600)
    /// Backoff after failed fetches: the first and the longest delay.
    static let retryFirst: Duration = .seconds(1)
    static let retryMost: Duration = .seconds(300)

    enum Decision: Hashable, Sendable {
        case use
        case useAndFetch
        case wait
        case fetchAndWait
        case unknown
        case unavailable(retryAfter: Duration)
    }

    private enum Age { case none, fresh, ageing, overdue }

    private(set) var isFetching = false
    private var beganAt: Duration?
    private var heldSince: Duration?
    private var life: Duration = .zero
    /// The earliest time of the next fetch; nil if the last one succeeded.
    private var retryAt: Duration?
    private var backoff = Backoff(
        first: retryFirst, most: retryMost, growthTenths: 20, jitterThousandths: 200)

    /// The action for a token, at `now` of the uptime clock.
    /// - Parameter isKnown: whether its key is cached.
    func decision(isKnown: Bool, at now: Duration) -> Decision {
        switch (age(at: now), isKnown) {
        case (.fresh, true): .use
        case (.ageing, true): canFetch(at: now) ? .useAndFetch : .use
        case (.overdue, true):
            if retryAt == nil {
                isFetching ? .wait : .fetchAndWait
            } else {
                canFetch(at: now) ? .useAndFetch : .use
            }
        case (.none, _): isFetching ? .wait : fetchAndWait(at: now)
        case (_, false): isFetching ? .wait : missing(at: now)
        }
    }

    /// Records the start of a fetch.
    mutating func begin(at now: Duration) {
        precondition(!isFetching, "one at a time")
        isFetching = true
        beganAt = now
    }

    /// Records a successful fetch. The keys are valid for `life`.
    mutating func succeeded(life: Duration) {
        isFetching = false
        heldSince = beganAt
        self.life = life
        retryAt = nil
        backoff.reset()
    }

    /// Records a failed fetch; `jitter` is a random number.
    /// - Returns: the delay before the next fetch.
    mutating func failed(at now: Duration, jitter: UInt64) -> Duration {
        isFetching = false
        let wait = backoff.next(jitter: jitter)
        retryAt = now + wait
        return wait
    }

    private func age(at now: Duration) -> Age {
        guard let heldSince else { return .none }
        switch now - heldSince {
        case ..<(life * 3 / 4): return .fresh
        case ..<life: return .ageing
        case ..<(life + Self.overdueMax): return .overdue
        default: return .none
        }
    }

    private func canFetch(at now: Duration) -> Bool {
        !isFetching && (retryAt.map { now >= $0 } ?? true)
    }

    private func fetchAndWait(at now: Duration) -> Decision {
        if let retryAt, now < retryAt { return .unavailable(retryAfter: retryAt - now) }
        return .fetchAndWait
    }

    private func missing(at now: Duration) -> Decision {
        let next = (beganAt ?? now) + Self.unknownKeyInterval
        guard beganAt != nil, now < next else { return fetchAndWait(at: now) }
        // The `kid` may belong to a new key of the provider. While fetches fail, that cannot be
        // decided.
        return retryAt.map { .unavailable(retryAfter: max($0, next) - now) } ?? .unknown
    }
}
