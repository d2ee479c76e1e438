import Cryptography
import Logging
import ServiceRuntime
import Storage
import Synchronization

/// Why the keys of refresh tokens cannot be had. The description tells the operator what to do.
package enum RefreshTokenKeyError: Error, Hashable, CustomStringConvertible {
    /// A key does not open.
    case doesNotOpen

    package var description: String {
        """
        a key of refresh tokens in the session store does not open: start with the master key \
        that the store was made with
        """
    }
}

/// The keys under which refresh tokens are made, sealed in the store: the first start makes one,
/// the first sign-in or refresh after its time another, and so may the operator. What an old key
/// has made is taken for as long as a session can live, so nobody is signed out by this.
final class RefreshTokenKeys: Sendable {
    /// How keys come and go.
    struct Schedule: Hashable, Sendable {
        /// How long new tokens are made under one key.
        let renewal: Duration
        /// How long after that its tokens are taken: the longest life of a session.
        let acceptance: Duration
    }

    private struct State {
        let seal: RefreshTokenSeal
        let renewAt: Timestamp
    }

    /// Bytes of a key: as many as HMAC-SHA-256 gives (RFC 2104, 3).
    private static let keyBytes = 32
    /// Between attempts to make a key that is due: often enough for a key that counts days, and no
    /// call pays for each other's attempt meanwhile.
    static let retryEvery: Duration = .seconds(60)

    private let box: SealedBox
    let schedule: Schedule
    private let randomness: any Randomness
    private let logger: Logger
    private let state: Mutex<State>

    /// Makes and checks tokens under the keys of now.
    var seal: RefreshTokenSeal { state.withLock { $0.seal } }

    /// The keys in `store`; the first start makes one.
    /// - Throws: `RefreshTokenKeyError`, or what the store throws.
    static func load(
        from store: Store, box: SealedBox, schedule: Schedule, randomness: any Randomness,
        logger: Logger
    ) async throws -> RefreshTokenKeys {
        let stored = try await store.write {
            try keys(in: $0, schedule, box, randomness, isWanted: false)
        }
        return RefreshTokenKeys(
            try Self.state(of: stored, box, schedule), box, schedule, randomness, logger)
    }

    private init(
        _ state: State, _ box: SealedBox, _ schedule: Schedule, _ randomness: any Randomness,
        _ logger: Logger
    ) {
        self.state = Mutex(state)
        self.box = box
        self.schedule = schedule
        self.randomness = randomness
        self.logger = logger
    }

    /// Makes a new key where the current one has had its time; any number may ask at once. Where
    /// that fails the current one goes on for a while: an old key is a lesser evil than nobody
    /// signed in.
    func renewIfDue(in store: Store, at now: Timestamp) async {
        guard state.withLock({ now >= $0.renewAt }) else { return }
        do {
            try await renew(in: store, isWanted: false)
        } catch {
            logger.error(
                "session.refresh_key.rotate.failed", "rotating the refresh token key failed",
                fields: [.detail: .error(error)])
            state.withLock { state in
                guard now >= state.renewAt else { return }
                state = State(seal: state.seal, renewAt: now + Self.retryEvery)
            }
        }
    }

    /// Makes a new key where it is due or `isWanted`.
    /// - Throws: `rpc/resource-exhausted` when all 255 ids are those of keys that still count.
    func renew(in store: Store, isWanted: Bool) async throws {
        let (schedule, box, randomness) = (schedule, box, randomness)
        let stored = try await store.write {
            try Self.keys(in: $0, schedule, box, randomness, isWanted: isWanted)
        }
        let renewed = try Self.state(of: stored, box, schedule)
        state.withLock { state in
            // Of two renewals at once the later one is the one to keep, whichever is here last.
            if renewed.renewAt >= state.renewAt { state = renewed }
        }
    }

    /// The keys that count at the transaction's moment, with a new one where it is time.
    private static func keys(
        in transaction: Transaction, _ schedule: Schedule, _ box: SealedBox,
        _ randomness: any Randomness, isWanted: Bool
    ) throws -> [StoredTokenKey] {
        try transaction.forgetTokenKeys(supersededBy: transaction.at - schedule.acceptance)
        let keys = try transaction.tokenKeys()
        let current = keys.first { $0.supersededAt == nil }
        let isDue = current.map { transaction.at >= $0.madeAt + schedule.renewal } ?? true
        guard isDue || isWanted else { return keys }
        let id = try nextID(after: current?.id ?? 0, beside: keys)
        let key = SecretBytes.generate(count: keyBytes, randomness: randomness)
        try transaction.supersede(
            by: StoredTokenKey(
                id: id, sealed: try box.seal(key, at: .tokenKey(id)), madeAt: transaction.at,
                supersededAt: nil))
        return try transaction.tokenKeys()
    }

    private static func nextID(
        after id: UInt8, beside keys: [StoredTokenKey]
    ) throws(ServiceError) -> UInt8 {
        let taken = Set(keys.map(\.id))
        let order = (UInt8(1)...255).filter { $0 > id } + (UInt8(1)...255).filter { $0 <= id }
        guard let free = order.first(where: { !taken.contains($0) }) else {
            throw ServiceError(.resourceExhausted, detail: "255 keys of refresh tokens")
        }
        return free
    }

    private static func state(
        of stored: [StoredTokenKey], _ box: SealedBox, _ schedule: Schedule
    ) throws -> State {
        var keys: [UInt8: KeyedHash] = [:]
        do {
            for key in stored {
                keys[key.id] = KeyedHash(key: try box.openSecret(key.sealed, at: .tokenKey(key.id)))
            }
        } catch is SealedBoxError {
            throw RefreshTokenKeyError.doesNotOpen
        }
        guard let current = stored.first(where: { $0.supersededAt == nil }),
            let seal = RefreshTokenSeal(current: current.id, keys: keys)
        else { throw RefreshTokenKeyError.doesNotOpen }
        return State(seal: seal, renewAt: current.madeAt + schedule.renewal)
    }
}
