import Contracts
package import Cryptography
package import Logging
package import Messages
package import RPC
package import ServiceRuntime
package import Storage
import Synchronization

/// Decides on rates (R-03 … R-05): in memory, exact, and on disk before the answer, so that a
/// restart forgives nobody.
package final class RateLimitService: LimitsService {
    /// The store's schema.
    package static let migrations = RateLimitStore.migrations
    private static let chargesMax = 16
    private static let subjectBytesMax = 512
    private static let purgePause = Duration.seconds(600)

    /// How often refunds that no charge took along are written.
    private static let refundPause = Duration.seconds(1)

    private struct State {
        var rings: RingTable
        var ledger = ChargeLedger()
        /// Rings that a refund changed since they were written.
        var refunded: Set<RingKey> = []
    }

    private let state: Mutex<State>
    private let store: RateLimitStore
    private let subjects: SubjectHash
    private let time: any Time
    private let randomness: any Randomness
    private let logger: Logger

    /// Loads what still counts.
    /// - Parameter key: hashes subjects; another key forgets all charges.
    package init(
        settings: RateLimitSettings, store: Store, key: KeyedHash, time: any Time,
        randomness: any Randomness, logger: Logger
    ) async throws {
        self.store = RateLimitStore(store)
        subjects = SubjectHash(key)
        self.time = time
        self.randomness = randomness
        self.logger = logger
        var rings = RingTable(ringsMax: settings.ringsMax)
        for (key, ring) in try await self.store.rings(at: time.now()) { rings.restore(key, ring) }
        state = Mutex(State(rings: rings))
    }

    /// Until cancelled, drops what no longer counts, every ten minutes, and writes what refunds
    /// left to write, every second.
    package func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask {
                while true {
                    try await self.time.sleep(for: Self.purgePause)
                    await self.purge()
                }
            }
            group.addTask {
                while true {
                    try await self.time.sleep(for: Self.refundPause)
                    await self.writeRefunds()
                }
            }
            try await group.waitForAll()
        }
    }

    /// Writes what refunds left to write; for the end, when no call comes any more.
    package func writeRefunds() async {
        guard state.withLock({ !$0.refunded.isEmpty }) else { return }
        do {
            try await save([], audit: nil)
        } catch {
            // The charges stand until the next try, or for their window: strict.
            logger.warning("refunds were not written", fields: [.detail: .error(error)])
        }
    }

    private func purge() async {
        let now = time.now()
        state.withLock { $0.rings.expire(at: now) }
        do {
            try await store.purge(at: now)
        } catch {
            // A full disk passes; what is left over does not count, and goes the next time.
            logger.warning("old charges were not purged", fields: [.detail: .error(error)])
        }
    }

    // MARK: LimitsService

    package func consume(
        _ request: RateLimitV1.ConsumeRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ConsumeResponse {
        let keys = try ringKeys(request.charges)
        let now = time.now()
        let repeatable = context.idempotencyKey.map { key in
            subjects.chargeID(context.application, key, keys)
        }
        let id = repeatable ?? randomness.rowKey()
        let decision = state.withLock { state in
            if repeatable != nil, let key = keys.first, state.ledger.holds(id, at: now) {
                return RingTable.Decision.allowed(limit: key.limit, remaining: 0)
            }
            let decision = state.rings.consume(keys, at: now)
            if case .allowed = decision { state.ledger.note(id, keys, at: now) }
            return decision
        }
        try await write(decision, keys, now)
        let isAllowed = if case .allowed = decision { true } else { false }
        return RateLimitV1.ConsumeResponse(
            decision: try answer(decision, now), chargeId: isAllowed ? String(id, radix: 36) : "")
    }

    package func refund(
        _ request: RateLimitV1.RefundRequest, _ context: CallContext
    ) throws -> RateLimitV1.RefundResponse {
        guard let id = Int64(request.chargeId, radix: 36) else {
            throw ServiceError(.invalidArgument, fields: ["charge_id"])
        }
        let now = time.now()
        // Not waited for on disk: a crash before the next write leaves the charge standing, which
        // errs on the strict side, and every sign-in is spared a commit.
        state.withLock { state in
            guard let charge = state.ledger.take(id, at: now) else { return }
            state.rings.refund(charge.keys, charge.moment)
            state.refunded.formUnion(charge.keys)
        }
        return RateLimitV1.RefundResponse()
    }

    package func peek(
        _ request: RateLimitV1.PeekRequest, _ context: CallContext
    ) throws -> RateLimitV1.PeekResponse {
        let keys = try ringKeys(request.charges)
        let now = time.now()
        let decision = state.withLock { $0.rings.peek(keys, at: now) }
        return RateLimitV1.PeekResponse(decision: try answer(decision, now))
    }

    // MARK: Parts

    private func ringKeys(_ charges: [RateLimitV1.Charge]) throws -> [RingKey] {
        guard (1...Self.chargesMax).contains(charges.count) else {
            throw ServiceError(.invalidArgument, fields: ["charges"])
        }
        let keys = try charges.map { charge in
            guard let limit = LimitName(rawValue: charge.limit) else {
                throw ServiceError(.invalidArgument, fields: ["charges.limit"])
            }
            guard (1...Self.subjectBytesMax).contains(charge.subject.utf8.count) else {
                throw ServiceError(.invalidArgument, fields: ["charges.subject"])
            }
            return subjects.ringKey(limit, charge.subject)
        }
        // One charge twice in a batch would be counted twice but refunded by one moment.
        guard Set(keys).count == keys.count else {
            throw ServiceError(.invalidArgument, fields: ["charges"])
        }
        return keys
    }

    private func write(_ decision: RingTable.Decision, _ keys: [RingKey], _ now: Timestamp)
        async throws
    {
        switch decision {
        case .allowed: try await save(keys, audit: nil)
        case .limited(let key, _, isFirst: true):
            let event = AuditEvent(.limitReached, subject: key.subject)
            try await save([], audit: event)
        case .limited, .full: break
        }
    }

    /// Writes the rings of `keys`, and those that refunds changed.
    private func save(_ keys: [RingKey], audit event: AuditEvent?) async throws {
        let refunded = state.withLock { state in
            defer { state.refunded = [] }
            return state.refunded
        }
        do {
            try await store.save(Array(refunded.union(keys)), audit: event) { key in
                self.state.withLock { $0.rings.ring(key) }
            }
        } catch {
            state.withLock { $0.refunded.formUnion(refunded) }
            throw error
        }
    }

    private func answer(
        _ decision: RingTable.Decision, _ now: Timestamp
    ) throws -> RateLimitV1.Decision {
        switch decision {
        case .allowed(let limit, let remaining):
            return RateLimitV1.Decision(
                limit: limit.rawValue, remaining: UInt32(clamping: remaining))
        case .limited(let key, let until, _):
            return RateLimitV1.Decision(
                limited: true, limit: key.limit.rawValue,
                retryAfterMs: UInt64(clamping: max(1, (until - now).milliseconds)))
        case .full:
            logger.error("no room for another subject; new ones are refused")
            throw ServiceError(.resourceExhausted, retryAfter: .seconds(60))
        }
    }
}
