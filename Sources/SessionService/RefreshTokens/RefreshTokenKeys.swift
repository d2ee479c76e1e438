import Cryptography
import Logging
import ServiceRuntime
import Storage
import Synchronization

/// The keys that authenticate refresh tokens, sealed in the store. The first start generates one;
/// the first sign-in or refresh after its life, or the operator, rotates it. Tokens of an old key
/// are accepted for as long as a session can live, so a rotation signs no user out.
///
/// Made for instances that share a store: a new key is stored `announcedFor` before it issues
/// tokens, and each instance reads the keys at each `activity-interval`, and when a token names a
/// key that it does not know (`token`).
final class RefreshTokenKeys: Sendable {
    /// The times of rotation.
    struct Schedule: Hashable, Sendable {
        /// How long new tokens are issued under one key.
        let renewal: Duration
        /// How long after that its tokens are accepted: the longest life of a session.
        let acceptance: Duration
    }

    /// A refresh token key in the store.
    struct Stored: Hashable, Sendable {
        /// 1 … 255; part of each token.
        let id: UInt8
        /// The key, sealed.
        let sealed: [UInt8]
        let madeAt: Timestamp
        /// When the next key replaces it, at most `announcedFor` ahead; nil for the newest one.
        let supersededAt: Timestamp?
    }

    /// What the stored keys give.
    private struct Keys {
        /// Issues tokens until the first of `later` does.
        let first: RefreshTokenSeal
        /// The other keys by age, each with the moment from which it issues tokens.
        let later: [(from: Timestamp, seal: RefreshTokenSeal)]
        var renewAt: Timestamp
    }

    /// A reload for a token of an unknown key.
    private struct Reload {
        /// Uptime.
        let begunAt: Duration
        let task: Task<Void, any Error>
    }

    private struct State {
        var keys: Keys
        var reload: Reload?
    }

    /// Length of a key: the output size of HMAC-SHA-256 (RFC 2104, 3).
    private static let keyBytes = 32
    /// The interval between attempts to rotate a key that is due. Keys live for days, so this is
    /// often enough, and not every call pays for an attempt.
    static let retryEvery: Duration = .seconds(60)
    /// How long a key is stored before it issues tokens, so that every instance knows it then.
    static let announcedFor: Duration = .seconds(60)
    /// At most one reload in this time is made for tokens of unknown keys.
    static let reloadEvery: Duration = .seconds(1)

    private let box: SealedBox
    let schedule: Schedule
    private let randomness: any Randomness
    private let logger: Logger
    private let state: Mutex<State>

    /// Verifies tokens under all keys, and issues them under the key in use at `now`.
    func seal(at now: Timestamp) -> RefreshTokenSeal {
        state.withLock { state in
            state.keys.later.last { $0.from <= now }?.seal ?? state.keys.first
        }
    }

    /// Parses and verifies a refresh token; nil unless we issued it, under a key that is still
    /// accepted. Another instance may have made a key that this one does not know: then the keys
    /// are read from the store once, before its users are signed out.
    ///
    /// Attack: random key ids, of which there are 255, cause a read with each call. So at most one
    /// reload begins in `reloadEvery`, whatever arrives, and all callers within that time get its
    /// result.
    /// - Throws: what the store throws: a token is not refused because the store failed.
    func token(
        _ text: String, in store: Store, _ time: any Time
    ) async throws -> RefreshToken? {
        let seal = seal(at: time.now())
        if let token = seal.token(text) { return token }
        guard seal.lacksKey(of: text) else { return nil }
        let now = time.uptime()
        let reload = state.withLock { state in
            if let last = state.reload, now - last.begunAt < Self.reloadEvery { return last.task }
            let task = Task { try await self.reload(from: store) }
            state.reload = Reload(begunAt: now, task: task)
            return task
        }
        try await reload.value
        return self.seal(at: time.now()).token(text)
    }

    /// Reads the keys again: another instance may have rotated them.
    /// - Throws: `SessionKeyError`, or what the store throws.
    func reload(from store: Store) async throws {
        let stored = try await store.read { try $0.tokenKeys() }
        replace(with: try Self.keys(of: stored, box, schedule))
    }

    /// Of concurrent changes the later one is kept, whichever arrives last.
    private func replace(with keys: Keys) {
        state.withLock { state in
            if keys.renewAt >= state.keys.renewAt { state.keys = keys }
        }
    }

    /// Loads the keys from `store`; the first start generates one.
    /// - Throws: `SessionKeyError`, or what the store throws.
    static func load(
        from store: Store, box: SealedBox, schedule: Schedule, randomness: any Randomness,
        logger: Logger
    ) async throws -> RefreshTokenKeys {
        let stored = try await store.write(about: [.table("token_key")]) {
            try keys(in: $0, schedule, box, randomness, isRequested: false)
        }
        return RefreshTokenKeys(
            try Self.keys(of: stored, box, schedule), box, schedule, randomness, logger)
    }

    private init(
        _ keys: Keys, _ box: SealedBox, _ schedule: Schedule, _ randomness: any Randomness,
        _ logger: Logger
    ) {
        state = Mutex(State(keys: keys))
        self.box = box
        self.schedule = schedule
        self.randomness = randomness
        self.logger = logger
    }

    /// Rotates a key that is due; concurrent calls are safe. After a failure the current key stays
    /// in use for a while: an old key is better than failing every sign-in.
    func renewIfDue(in store: Store, at now: Timestamp) async {
        guard state.withLock({ now >= $0.keys.renewAt }) else { return }
        do {
            try await renew(in: store, isRequested: false)
        } catch {
            logger.error(
                "session.refresh_key.rotate.failed", "rotating the refresh token key failed",
                fields: [.detail: .error(error)])
            state.withLock { state in
                guard now >= state.keys.renewAt else { return }
                state.keys.renewAt = now + Self.retryEvery
            }
        }
    }

    /// Generates a new key if one is due or `isRequested`.
    /// - Throws: `rpc/resource-exhausted` when all 255 ids belong to keys that are still accepted;
    ///   `SessionKeyError`, or what the store throws.
    func renew(in store: Store, isRequested: Bool) async throws {
        let (schedule, box, randomness) = (schedule, box, randomness)
        // The call that finds the key due renews it for all.
        let stored = try await store.write(about: [.table("token_key")], evenIfCancelled: true) {
            try Self.keys(in: $0, schedule, box, randomness, isRequested: isRequested)
        }
        replace(with: try Self.keys(of: stored, box, schedule))
    }

    /// The keys that are accepted at the transaction's time, with a new one if it is due.
    private static func keys(
        in transaction: Transaction, _ schedule: Schedule, _ box: SealedBox,
        _ randomness: any Randomness, isRequested: Bool
    ) throws -> [Stored] {
        try transaction.forgetTokenKeys(supersededBy: transaction.at - schedule.acceptance)
        let keys = try transaction.tokenKeys()
        let current = keys.first { $0.supersededAt == nil }
        let isDue = current.map { transaction.at >= $0.madeAt + schedule.renewal } ?? true
        guard isDue || isRequested else { return keys }
        let id = try nextID(after: current?.id ?? 0, beside: keys)
        let key = SecretBytes.generate(count: keyBytes, randomness: randomness)
        try transaction.supersede(
            by: Stored(
                id: id, sealed: try box.seal(key, at: .tokenKey(id)), madeAt: transaction.at,
                supersededAt: nil))
        return try transaction.tokenKeys()
    }

    private static func nextID(
        after id: UInt8, beside keys: [Stored]
    ) throws(ServiceError) -> UInt8 {
        let taken = Set(keys.map(\.id))
        let order = (UInt8(1)...255).filter { $0 > id } + (UInt8(1)...255).filter { $0 <= id }
        guard let free = order.first(where: { !taken.contains($0) }) else {
            throw ServiceError(.resourceExhausted, detail: "all 255 refresh token key ids in use")
        }
        return free
    }

    private static func keys(
        of stored: [Stored], _ box: SealedBox, _ schedule: Schedule
    ) throws -> Keys {
        var keys: [UInt8: KeyedHash] = [:]
        do {
            for key in stored {
                keys[key.id] = KeyedHash(key: try box.openSecret(key.sealed, at: .tokenKey(key.id)))
            }
        } catch is SealedBoxError {
            throw SessionKeyError.refreshTokenKeyDoesNotOpen
        }
        let seals = stored.sorted { $0.order < $1.order }.compactMap { key in
            RefreshTokenSeal(current: key.id, keys: keys).map {
                (from: key.madeAt + announcedFor, seal: $0)
            }
        }
        guard let newest = stored.first(where: { $0.supersededAt == nil }), let first = seals.first
        else { throw SessionKeyError.refreshTokenKeyDoesNotOpen }
        return Keys(
            first: first.seal, later: Array(seals.dropFirst()),
            renewAt: newest.madeAt + schedule.renewal)
    }
}

extension RefreshTokenKeys.Stored {
    /// Later than any moment.
    private static let never = Timestamp(milliseconds: .max)

    /// Sorts by age, the oldest first; ids wrap around. The newest key is the last one also after
    /// the clock was set back.
    var order: (Timestamp, Timestamp, UInt8) { (supersededAt ?? Self.never, madeAt, id) }
}

extension SQLSession {
    /// All keys, in the order of their ids.
    func tokenKeys() throws -> [RefreshTokenKeys.Stored] {
        try query(
            "SELECT id, sealed_key, made_at_ms, superseded_at_ms FROM token_key ORDER BY id"
        ) { row in
            guard let id = UInt8(exactly: try row.integer("id")) else {
                throw SQLError(.unexpectedValue, detail: "token_key.id")
            }
            return RefreshTokenKeys.Stored(
                id: id, sealed: try row.blob("sealed_key"), madeAt: try row.timestamp("made_at_ms"),
                supersededAt: try row.optionalTimestamp("superseded_at_ms"))
        }
    }
}

extension Transaction {
    /// Adds a key as the newest one, which issues tokens from `announcedFor` later on.
    func supersede(by key: RefreshTokenKeys.Stored) throws {
        try put(
            "UPDATE token_key SET superseded_at_ms = ? WHERE superseded_at_ms IS NULL",
            [SQLValue(key.madeAt + RefreshTokenKeys.announcedFor)])
        try put(
            "INSERT INTO token_key (id, sealed_key, made_at_ms) VALUES (?, ?, ?)",
            [.integer(Int64(key.id)), .blob(key.sealed), SQLValue(key.madeAt)])
        try audit(AuditEvent(.refreshKeyMade))
    }

    /// Deletes keys that were superseded at `moment` or before.
    func forgetTokenKeys(supersededBy moment: Timestamp) throws {
        try put("DELETE FROM token_key WHERE superseded_at_ms <= ?", [SQLValue(moment)])
    }
}

extension SealedPlace {
    /// The sealing context of a refresh token key.
    static func tokenKey(_ id: UInt8) -> SealedPlace {
        SealedPlace(table: "token_key", column: "sealed_key", row: Int64(id))
    }
}
