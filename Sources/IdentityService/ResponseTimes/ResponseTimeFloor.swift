package import Cryptography
package import Logging
import ServiceLifecycle
package import ServiceRuntime
package import Storage
import Synchronization

/// The minimum response time of a failed sign-in: as long as one with the slowest hash in
/// the store.
///
/// Imported bcrypt and scrypt hashes take a different time from our Argon2 hashes, so response
/// times would disclose which addresses have imported accounts. Each stored scheme is measured,
/// when it is first imported and at start. A failed sign-in is delayed by a timer until the end of
/// the slowest, and holds no thread meanwhile. Right passwords are not delayed: their callers learn
/// nothing from the time.
///
/// If all hashes are our own and of one cost, all checks take the same time, and there is no delay.
/// Otherwise our own hashes count too: for an unknown address one of ours is computed, and it may
/// be the slowest. After a change of `password-hash-memory` or `password-hash-passes` the former
/// cost still counts, because accounts may still have hashes of it.
///
/// It is counted from when the check begins on a thread. It leaves out the wait for a thread, which
/// is the same for all checks that are queued at the same time. Batched completions
/// (`CompletionBatcher`) would add a second wait, so they are enabled only without a floor.
package final class ResponseTimeFloor: Sendable {
    /// Schemes read from the store. A normal store has one or two. More can only come from a
    /// hostile import file, and then the slowest of these are close enough.
    static let schemesMax: Int64 = 1_000
    /// Schemes measured at start, the slowest by their parameters. Each takes three checks of at
    /// most 1.1 s.
    private static let measuredMax = 8
    /// Schemes whose measured time is cached.
    private static let timesMax = 256
    /// Time of a failed sign-in outside this minimum, with reserve: a read before it, and an audit
    /// write with its fsync after it.
    static let margin: Duration = .milliseconds(50)
    /// How often the store is read again, to drop schemes that no account has any more.
    static let interval: Duration = .seconds(3_600)

    private struct State {
        /// The median of three measurements, for each scheme.
        var times: [String: Duration] = [:]
        /// Nil until the store has been read.
        var floor: Duration?
        /// Reads the store and measures. Concurrent callers share one task.
        var loading = SingleFlight<Void, any Error>()
        /// Counts imports, so that a read of the store that began before an import does not undo
        /// it.
        var additions = 0
    }

    private let store: Store
    private let passwords: PasswordHashPool
    private let time: any Time
    private let logger: Logger
    private let startedAt: Timestamp
    private let state = Mutex(State())

    /// Creates it; it measures when it is first asked, or by `run`.
    package init(store: Store, passwords: PasswordHashPool, time: any Time, logger: Logger) {
        self.store = store
        self.passwords = passwords
        self.time = time
        self.logger = logger
        startedAt = time.now()
    }

    /// Rejects a check before it begins, if its caller's deadline is earlier than the response to a
    /// failed one. Attack: a right password is answered at once, a wrong one at the end of the
    /// minimum. A caller with a deadline in between can tell the two apart by the timeout.
    /// - Parameter deadline: the call's deadline (uptime).
    /// - Throws: `rpc/deadline-exceeded`, not processed; as `floor`.
    func requireTime(until deadline: Duration) async throws {
        guard time.uptime() + (try await floor()) + Self.margin <= deadline else {
            throw ServiceError(.deadlineExceeded, notProcessed: true)
        }
    }

    /// Returns when the minimum has passed since `start` (uptime).
    /// - Throws: as `floor`.
    func waitOut(from start: Duration) async throws {
        let left = start + (try await floor()) - time.uptime()
        guard left > .zero else { return }
        // When cancelled, the caller is gone and measures nothing. The writes that follow are still
        // done.
        try? await time.sleep(for: left)
    }

    /// The minimum time of a failed sign-in.
    /// - Throws: as `Store.read`, `Store.write` and `PasswordHashPool.measure`, until the first
    ///   load has succeeded.
    func floor() async throws -> Duration {
        if let floor = state.withLock({ $0.floor }) { return floor }
        let loading = state.withLock { $0.loading.join { try await self.load() } }
        try await loading.value
        return state.withLock { $0.floor } ?? .zero
    }

    /// The first `look`. After a failure the next caller starts another.
    private func load() async throws {
        do {
            try await look()
        } catch {
            state.withLock { $0.loading.end() }
            throw error
        }
    }

    /// Measures schemes before hashes with them are stored, and raises the minimum if one is
    /// slower.
    /// - Throws: as `PasswordHashPool.measure` and `floor`.
    package func add(_ schemes: some Collection<PasswordScheme>) async throws {
        guard !schemes.isEmpty else { return }
        let slowest = schemes.map(\.microseconds).max() ?? 0
        // A scheme with less than half the cost of the slowest cannot be the slowest on any
        // machine.
        let measured =
            schemes.sorted { $0.microseconds > $1.microseconds }
            .prefix(Self.measuredMax).filter { $0.microseconds * 2 >= slowest }
            + [passwords.ownScheme]
        for scheme in measured { try await measure(scheme) }
        let known = try await floor()
        state.withLock { state in
            let longest = measured.compactMap { state.times[$0.name] }.max() ?? .zero
            set(max(known, state.floor ?? .zero, Self.floor(of: longest)), in: &state)
            state.additions += 1
        }
    }

    /// Reads the store again at each interval, until cancellation or shutdown.
    package func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    _ = try await self.floor()
                    try await self.look()
                } catch {
                    if Task.isCancelled { return }
                    self.logger.warning(
                        "identity.password_schemes.read.failed",
                        "reading the stored password schemes failed",
                        fields: [.detail: .error(error)])
                }
                // Only cancellation interrupts the sleep, and it also ends the loop.
                try? await self.time.sleep(for: Self.interval)
            }
        }
    }

    /// Reads which schemes are stored, measures the slowest, and sets the minimum.
    private func look() async throws {
        let additions = state.withLock { $0.additions }
        let schemes = try await stored()
        for scheme in schemes { try await measure(scheme) }
        state.withLock { state in
            guard state.additions == additions || state.floor == nil else { return }
            let longest = schemes.compactMap { state.times[$0.name] }.max() ?? .zero
            set(Self.floor(of: longest), in: &state)
        }
    }

    private func set(_ floor: Duration, in state: inout State) {
        state.floor = floor
        passwords.gathersAnswers = floor == .zero
    }

    /// The slowest stored schemes by their parameters, and our own; empty when our own is the only
    /// one.
    private func stored() async throws -> [PasswordScheme] {
        let (own, startedAt) = (passwords.ownScheme, startedAt)
        let standard = try passwords.standardScheme()
        var owns = try await store.read { try $0.ownPasswordSchemes() }
        if !owns.contains(own.name) {
            owns = try await store.write(about: [.table("own_password_schemes")]) { transaction in
                try transaction.record(
                    ownScheme: own.name, standard: standard.name, since: startedAt)
                return try transaction.ownPasswordSchemes()
            }
        }
        let names = try await store.read { try $0.storedPasswordSchemes() } + owns
        guard names.contains(where: { $0 != own.name }) else { return [] }
        // A name that does not parse belongs to a later version's scheme, whose hashes do not parse
        // either.
        return names.compactMap { try? PasswordScheme(name: $0) }
            .sorted { $0.microseconds > $1.microseconds }
            .prefix(Self.measuredMax).filter { $0.name != own.name } + [own]
    }

    private func measure(_ scheme: PasswordScheme) async throws {
        guard state.withLock({ $0.times[scheme.name] }) == nil else { return }
        know(scheme, takes: try await passwords.measure(scheme))
    }

    /// Stores the measured time of a scheme.
    func know(_ scheme: PasswordScheme, takes time: Duration) {
        state.withLock { state in
            // Only a hostile import file has this many schemes. A dropped one is measured again.
            if state.times.count >= Self.timesMax { state.times.removeAll() }
            state.times[scheme.name] = time
        }
    }

    /// 1.5 times the duration on an idle thread, so that checks also end within it when the machine
    /// has other work.
    private static func floor(of time: Duration) -> Duration { time * 3 / 2 }
}

extension SQLSession {
    /// The schemes of stored hashes that are not our own, as `PasswordScheme` names them. Each
    /// costs one step in the index, however many accounts have it.
    func storedPasswordSchemes() throws -> [String] {
        try query(
            """
            WITH RECURSIVE found (scheme) AS (
                SELECT min(scheme) FROM passwords WHERE scheme IS NOT NULL
                UNION ALL
                SELECT (SELECT min(scheme) FROM passwords
                        WHERE scheme IS NOT NULL AND scheme > found.scheme)
                FROM found WHERE found.scheme IS NOT NULL)
            SELECT scheme FROM found WHERE scheme IS NOT NULL LIMIT ?
            """, [.integer(ResponseTimeFloor.schemesMax)]
        ) { try $0.text(0) }
    }

    /// The schemes that our own hashes have been made with.
    func ownPasswordSchemes() throws -> [String] {
        try query("SELECT name FROM own_password_schemes ORDER BY scheme") { try $0.text(0) }
    }
}

extension Transaction {
    /// Records the scheme that our hashes are made with from now on.
    /// - Parameters:
    ///   - standard: The scheme of hashes from before this record existed.
    ///   - moment: Since when hashes are made with `name`.
    func record(ownScheme name: String, standard: String, since moment: Timestamp) throws {
        var known = try ownPasswordSchemes()
        let isFirst = known.isEmpty
        let hasOlder =
            try isFirst
            && queryOne(
                "SELECT 1 FROM passwords WHERE changed_at_ms < ? LIMIT 1", [SQLValue(moment)]
            ) { _ in true } == true
        let before = hasOlder ? [standard] : []
        for new in before + [name] where !known.contains(new) {
            try put("INSERT INTO own_password_schemes (name) VALUES (?)", [.text(new)])
            known.append(new)
        }
    }
}
