import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// Fetches the key set (S-01), one fetch at a time, and for tokens that name an unknown key at most
/// once in 30 s: anybody can send such tokens, and must not make us ask for each.
final class KeyFetching: Sendable {
    /// Between two fetches for the sake of unknown keys.
    static let unknownKeyPause: Duration = .seconds(30)
    /// The set is fetched this often in any case, so that a revoked key is known everywhere within
    /// a minute even where nothing else is heard.
    static let regularly: Duration = .seconds(60)
    /// How long a fetch may take.
    private static let patience: Duration = .seconds(5)

    private struct State {
        var keys: KnownKeys?
        var running: Task<Void, Never>?
        /// When the last fetch for an unknown key began, on the uptime clock.
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

    /// Fetches the set; who comes while that goes on waits for the same.
    func fetch() async { await begin().value }

    /// Begins to fetch the set, unless that is under way.
    @discardableResult
    func begin() -> Task<Void, Never> {
        state.withLock { state in
            if let running = state.running { return running }
            // A task of its own: it serves all who wait, and is bounded by its call's deadline.
            let task = Task { await self.fetchNow() }
            state.running = task
            return task
        }
    }

    /// Fetches the set for a token that names a key which is not in it, if it may.
    /// - Returns: whether the keys may be others now.
    func fetchForUnknownKey() async -> Bool {
        let now = time.uptime()
        let turn = state.withLock { state -> UnknownKeyTurn in
            if let running = state.running { return .shares(running) }
            if let last = state.unknownAt, now < last + Self.unknownKeyPause { return .waits }
            state.unknownAt = now
            return .fetches
        }
        switch turn {
        case .shares(let running): await running.value
        case .fetches: await fetch()
        case .waits: return false
        }
        return true
    }

    /// What a token that names an unknown key leads to.
    private enum UnknownKeyTurn {
        /// A fetch is under way.
        case shares(Task<Void, Never>)
        case fetches
        /// The last one for an unknown key was a moment ago.
        case waits
    }

    private func fetchNow() async {
        let context = CallContext(deadline: time.uptime() + Self.patience)
        // A set that cannot be had now leaves the one before in force; it is asked for again.
        let answer = try? await verification.keySet(SessionV1.KeySetRequest(), context)
        // A set that is none must not take the place of one that is.
        let fetched = answer.flatMap { try? KnownKeys($0.jwks, settings: settings) }
        state.withLock { state in
            state.running = nil
            guard let fetched, fetched.hash != state.keys?.hash else { return }
            state.keys = fetched
        }
    }
}
