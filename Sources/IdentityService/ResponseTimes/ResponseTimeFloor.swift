import Cryptography
import Logging
import ServiceLifecycle
import ServiceRuntime
import Storage
import Synchronization

/// How long a failed sign-in takes: as long as one with the slowest hash that is stored.
///
/// bcrypt and scrypt rows from elsewhere cannot take the time of our Argon2, so that a stranger with
/// a watch would learn which addresses have accounts that came from elsewhere. Each scheme that is
/// stored is measured, when it is first imported and at the start; a sign-in that fails leaves on a
/// timer at the end of the longest, and holds no thread meanwhile. Right passwords do not wait: who
/// has one has nothing to learn. Where all hashes are ours and of one cost, all take the same by
/// nature, and nobody waits. Else ours count too: who is unknown is answered after one of ours, which
/// may be the slowest. After a change of `password-hash-memory` or `-passes` the former cost counts
/// from then on, since nobody knows who still has a hash of it.
///
/// The slot is counted from the moment at which the check began, without its wait for a thread: that
/// wait is the same for all who come at the same time. What has been hashed would wait a second time
/// where answers are handed on together, so that is done only where there is no slot.
final class ResponseTimeFloor: Sendable {
    /// Schemes that are looked at; a store has one or two. More could only come from a hostile file,
    /// and then the slowest of these are near enough.
    static let schemesMax: Int64 = 1_000
    /// Schemes measured at the start, the slowest by their parameters: three checks of 1.1 s each at
    /// the most.
    private static let measuredMax = 8
    /// Schemes whose time is remembered.
    private static let timesMax = 256
    /// What a failed sign-in takes besides its slot, with room: a read before it, and behind it a
    /// write of the audit trail with its fsync.
    static let margin: Duration = .milliseconds(50)
    /// How often schemes that nobody has any more are dropped.
    static let interval: Duration = .seconds(3_600)

    private struct State {
        /// The middle of three, for each scheme.
        var times: [String: Duration] = [:]
        /// Nil until the store has been looked at.
        var slot: Duration?
        /// Reads the store and measures; everybody waits for the same.
        var loading: Task<Void, any Error>?
        /// Counts imports, which must not be forgotten by a look at the store from before.
        var additions = 0
    }

    private let store: Store
    private let passwords: PasswordHashPool
    private let time: any Time
    private let logger: Logger
    private let startedAt: Timestamp
    private let state = Mutex(State())

    init(store: Store, passwords: PasswordHashPool, time: any Time, logger: Logger) {
        self.store = store
        self.passwords = passwords
        self.time = time
        self.logger = logger
        startedAt = time.now()
    }

    /// Refuses a check whose caller does not wait until a failed one is answered, before it begins.
    /// Attack: with a deadline between the answer to a right password, which comes at once, and the
    /// answer to a wrong one, which comes at the end of the slot, a caller tells the two apart.
    /// - Parameter deadline: the call's (uptime).
    /// - Throws: `rpc/deadline-exceeded`, not processed; as `slot`.
    func requireTime(until deadline: Duration) async throws {
        guard time.uptime() + (try await slot()) + Self.margin <= deadline else {
            throw ServiceError(.deadlineExceeded, notProcessed: true)
        }
    }

    /// Returns at the end of the slot that began at `start` (uptime).
    /// - Throws: as `Store.read` and `PasswordHashPool.measure`, before the first look has succeeded.
    func waitOut(from start: Duration) async throws {
        let left = start + (try await slot()) - time.uptime()
        guard left > .zero else { return }
        // Cancelled, its caller is gone and measures nothing; what follows is still written.
        try? await time.sleep(for: left)
    }

    /// What a failed sign-in takes at least.
    func slot() async throws -> Duration {
        if let slot = state.withLock({ $0.slot }) { return slot }
        let loading = state.withLock { state in
            let loading = state.loading ?? Task { try await self.look() }
            state.loading = loading
            return loading
        }
        do {
            try await loading.value
        } catch {
            state.withLock { $0.loading = nil }
            throw error
        }
        return state.withLock { $0.slot } ?? .zero
    }

    /// Hashes of these schemes are about to be stored.
    func add(_ schemes: some Collection<PasswordScheme>) async throws {
        guard !schemes.isEmpty else { return }
        let slowest = schemes.map(\.microseconds).max() ?? 0
        // What is clearly quicker cannot be the slowest, whatever this machine makes of it.
        let measured =
            schemes.sorted { $0.microseconds > $1.microseconds }
            .prefix(Self.measuredMax).filter { $0.microseconds * 2 >= slowest }
            + [passwords.ownScheme]
        for scheme in measured { try await measure(scheme) }
        let known = try await slot()
        state.withLock { state in
            let longest = measured.compactMap { state.times[$0.name] }.max() ?? .zero
            set(max(known, state.slot ?? .zero, Self.slot(of: longest)), in: &state)
            state.additions += 1
        }
    }

    /// Looks again from time to time, until cancelled or told to shut down.
    func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    _ = try await self.slot()
                    try await self.look()
                } catch {
                    self.logger.warning(
                        "identity.password_schemes.read.failed",
                        "reading the stored password schemes failed",
                        fields: [.detail: .error(error)])
                }
                // Only cancellation ends the sleep early, and then the loop ends too.
                try? await self.time.sleep(for: Self.interval)
            }
        }
    }

    /// Reads which schemes are stored, measures the slowest, and sets the slot.
    private func look() async throws {
        let additions = state.withLock { $0.additions }
        let schemes = try await stored()
        for scheme in schemes { try await measure(scheme) }
        state.withLock { state in
            guard state.additions == additions || state.slot == nil else { return }
            let longest = schemes.compactMap { state.times[$0.name] }.max() ?? .zero
            set(Self.slot(of: longest), in: &state)
        }
    }

    private func set(_ slot: Duration, in state: inout State) {
        state.slot = slot
        passwords.gathersAnswers = slot == .zero
    }

    /// The slowest schemes that are stored, by their parameters, and our own; none where there is
    /// only that one.
    private func stored() async throws -> [PasswordScheme] {
        let (own, startedAt) = (passwords.ownScheme, startedAt)
        let standard = try passwords.standardScheme()
        var owns = try await store.read { try $0.ownPasswordSchemes() }
        if !owns.contains(own.name) {
            owns = try await store.write { transaction in
                try transaction.note(
                    ownScheme: own.name, standard: standard.name, since: startedAt)
                return try transaction.ownPasswordSchemes()
            }
        }
        let names = try await store.read { try $0.storedPasswordSchemes() } + owns
        guard names.contains(where: { $0 != own.name }) else { return [] }
        // A name that does not read is of a later version's scheme, whose hashes do not read either.
        return names.compactMap { try? PasswordScheme(name: $0) }
            .sorted { $0.microseconds > $1.microseconds }
            .prefix(Self.measuredMax).filter { $0.name != own.name } + [own]
    }

    private func measure(_ scheme: PasswordScheme) async throws {
        guard state.withLock({ $0.times[scheme.name] }) == nil else { return }
        know(scheme, takes: try await passwords.measure(scheme))
    }

    /// Takes a scheme for measured.
    func know(_ scheme: PasswordScheme, takes time: Duration) {
        state.withLock { state in
            // Only a hostile file brings so many; what is dropped is measured again.
            if state.times.count >= Self.timesMax { state.times.removeAll() }
            state.times[scheme.name] = time
        }
    }

    /// Half as long again as an idle thread takes: checks must end within it when the machine has
    /// other work too.
    private static func slot(of time: Duration) -> Duration { time * 3 / 2 }
}
