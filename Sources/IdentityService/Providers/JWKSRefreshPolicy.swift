import ServiceRuntime

/// When a provider's keys are fetched. Pure: what is known, the time in; what to do, out.
///
/// | keys in hand | the token's key is among them | it is not |
/// |---|---|---|
/// | fresh | use it | fetch, unless the last fetch began within 30 s: then it is unknown |
/// | ageing (the last quarter of their life) | use it, fetch beside | the same |
/// | overdue, the last fetch went well | fetch and wait | the same |
/// | overdue, the provider is failing | use it, fetch beside | fetch and wait |
/// | none, or overdue for more than a day | fetch and wait | fetch and wait |
///
/// After a failed fetch none begins before its wait is over: until then "unavailable" stands for
/// "fetch and wait". A fetch that runs is waited for and never doubled.
///
/// Attacks it stops: tokens with made-up `kid` that have us call the provider for each; a provider
/// that is down, or is kept from us, and takes all sign-ins with it; keys that it has withdrawn and
/// that would be believed for ever.
struct JWKSRefreshPolicy: Sendable {
    /// Between two fetches that somebody's unknown `kid` asks for (Sources/SECURITY.md, Tokens).
    static let unknownKeyInterval: Duration = .seconds(30)
    /// Keys are believed so long after their life, while the provider cannot be reached.
    static let overdueMax: Duration = .seconds(24 * 3_600)
    /// Waits after failed fetches: the first, and the longest.
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
    /// nil while the last fetch went well.
    private var retryAt: Duration?
    private var backoff = Backoff(
        first: retryFirst, most: retryMost, growthTenths: 20, jitterThousandths: 200)

    /// What to do for a token, at `now` of the uptime clock.
    /// - Parameter isKnown: whether its key is among those in hand.
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

    /// A fetch begins.
    mutating func begin(at now: Duration) {
        precondition(!isFetching, "one at a time")
        isFetching = true
        beganAt = now
    }

    /// It brought keys, good for `life`.
    mutating func succeeded(life: Duration) {
        isFetching = false
        heldSince = beganAt
        self.life = life
        retryAt = nil
        backoff.reset()
    }

    /// It brought none; `jitter` is a random number.
    /// - Returns: when it is tried again at the earliest.
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
        // Whether it is a new key of the provider's cannot be told while that is failing.
        return retryAt.map { .unavailable(retryAfter: max($0, next) - now) } ?? .unknown
    }
}
