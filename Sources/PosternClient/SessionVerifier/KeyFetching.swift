import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// Fetches the key set (S-01), one fetch at a time. Tokens with an unknown key id cause at most one
/// fetch in 30 s: an attacker can send any number of them, and must not cause a fetch for each.
final class KeyFetching: Sendable {
    /// Time between two fetches because of unknown keys.
    static let unknownKeyPause: Duration = .seconds(30)
    /// The set is also fetched at this interval, so that a revoked key is known everywhere within a
    /// minute even without the revocation feed.
    static let regularly: Duration = .seconds(60)
    /// Timeout of a fetch.
    private static let timeout: Duration = .seconds(5)

    private struct State {
        var keys: KnownKeys?
        var flight = SingleFlight<Void, Never>()
        /// When the last fetch because of an unknown key began, on the uptime clock.
        var unknownAt: Duration?
    }

    private let state = Mutex(State())
    private let verification: any VerificationAPI
    private let settings: VerifierSettings
    private let time: any Time

    init(_ verification: any VerificationAPI, _ settings: VerifierSettings, time: any Time) {
        self.verification = verification
        self.settings = settings
        self.time = time
    }

    /// The keys that were fetched last; nil before the first fetch.
    var keys: KnownKeys? { state.withLock { $0.keys } }

    /// Fetches the set; concurrent callers share one fetch.
    func fetch() async { await begin().value }

    /// Starts to fetch the set, unless a fetch is running.
    @discardableResult
    func begin() -> Task<Void, Never> {
        // The deadline of its call bounds it.
        state.withLock { $0.flight.join { await self.fetchNow() } }
    }

    /// Fetches the set for a token that names an unknown key, if that is allowed now.
    /// - Returns: whether the keys may have changed.
    func fetchForUnknownKey() async -> Bool {
        let now = time.uptime()
        let decision = state.withLock { state -> UnknownKeyFetch in
            if let running = state.flight.running { return .shares(running) }
            if let last = state.unknownAt, now < last + Self.unknownKeyPause { return .waits }
            state.unknownAt = now
            return .fetches
        }
        switch decision {
        case .shares(let running): await running.value
        case .fetches: await fetch()
        case .waits: return false
        }
        return true
    }

    /// How a token with an unknown key is handled.
    private enum UnknownKeyFetch {
        /// A fetch is running; wait for it.
        case shares(Task<Void, Never>)
        case fetches
        /// The last fetch for an unknown key is too recent.
        case waits
    }

    private func fetchNow() async {
        let context = CallContext(deadline: time.uptime() + Self.timeout)
        // If the fetch fails, the previous set stays in use and the fetch is retried later.
        let answer = try? await verification.getKeySet(GatewayV1.GetKeySetRequest(), context)
        // An invalid set must not replace a valid one.
        let fetched = answer.flatMap { try? KnownKeys($0.jwks, settings: settings) }
        state.withLock { state in
            state.flight.end()
            guard let fetched, fetched.hash != state.keys?.hash else { return }
            state.keys = fetched
        }
    }
}
