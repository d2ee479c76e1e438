import Cryptography
import Logging
import ServiceRuntime
import Synchronization

/// Caches a provider's keys and fetches them when needed. `JWKSRefreshPolicy` decides; this type
/// carries the decisions out. At most one fetch runs at a time, and all waiting sign-ins share it.
final class JWKSCache: Sendable {
    /// Decisions for each sign-in: the first, and one after each fetch that it waited for.
    private static let attemptsMax = 3

    private struct State {
        var fetches = JWKSRefreshPolicy()
        var keys: PublishedKeySet?
        var flight = SingleFlight<Void, Never>()
    }

    private enum Step {
        case found(PublishedKey)
        case unknown
        case unavailable(Duration?)
        case wait(Task<Void, Never>)
    }

    private let name: String
    private let fetch: @Sendable () async -> JWKSFetcher.Outcome
    private let time: any Time
    private let randomness: any Randomness
    private let logger: Logger
    private let state = Mutex(State())

    /// The cache for the provider `name`. `fetch` fetches its keys.
    init(
        name: String, fetch: @escaping @Sendable () async -> JWKSFetcher.Outcome, time: any Time,
        randomness: any Randomness, logger: Logger
    ) {
        self.name = name
        self.fetch = fetch
        self.time = time
        self.randomness = randomness
        self.logger = logger
    }

    /// The key with this `kid`; nil when the provider has none.
    /// - Throws: `auth/provider-unavailable` when the keys cannot be fetched.
    func key(named identifier: String) async throws(ServiceError) -> PublishedKey? {
        for _ in 0..<Self.attemptsMax {
            switch step(identifier) {
            case .found(let key): return key
            case .unknown: return nil
            case .unavailable(let wait): throw unavailable(wait)
            // A fetch has a time limit, so this wait has one too.
            case .wait(let running): await running.value
            }
        }
        throw unavailable(nil)
    }

    private func unavailable(_ wait: Duration?) -> ServiceError {
        ServiceError(.providerUnavailable, retryAfter: wait, detail: "\(name): no keys")
    }

    private func step(_ identifier: String) -> Step {
        state.withLock { state in
            let key = state.keys?[identifier]
            let now = time.uptime()
            switch (state.fetches.decision(isKnown: key != nil, at: now), key) {
            case (.use, let key?): return .found(key)
            case (.useAndFetch, let key?):
                _ = begin(&state, at: now)
                return .found(key)
            case (.unavailable(let wait), _): return .unavailable(wait)
            case (.wait, _): return state.flight.running.map(Step.wait) ?? .unavailable(nil)
            case (.fetchAndWait, _): return .wait(begin(&state, at: now))
            case (.unknown, _), (.use, nil), (.useAndFetch, nil): return .unknown
            }
        }
    }

    private func begin(_ state: inout State, at now: Duration) -> Task<Void, Never> {
        state.fetches.begin(at: now)
        return state.flight.join { await self.run() }
    }

    private func run() async {
        switch await fetch() {
        case .keys(let keys, let life):
            state.withLock { state in
                state.fetches.succeeded(life: life)
                state.keys = keys
                state.flight.end()
            }
        case .failed(let reason):
            let jitter = randomness.integer()
            let wait = state.withLock { state in
                state.flight.end()
                return state.fetches.failed(at: time.uptime(), jitter: jitter)
            }
            logger.warning(
                "identity.jwks.fetch.failed", "fetching a provider's JWKS failed",
                fields: [
                    .part: .text(name), .reason: .text(reason),
                    .milliseconds: .milliseconds(wait),
                ])
        }
    }
}
