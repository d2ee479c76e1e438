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
    package static let migrations = RateLimitTables.migrations
    private static let subjectBytesMax = 512
    private static let purgePause = Duration.seconds(600)

    /// How often is written what nobody waits for.
    private static let flushPause = Duration.seconds(1)
    /// The wait, in milliseconds, that is told where only a reset helps: a day.
    private static let waitWithoutEnd: Int64 = 24 * 3_600_000

    let table: LimitTable
    private let ledger = Mutex(ChargeLedger())
    private let store: Store
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
        self.store = store
        subjects = SubjectHash(key)
        self.time = time
        self.randomness = randomness
        self.logger = logger
        table = try LimitTable(
            statesMax: settings.ringsMax, journal: LimitJournalPlace(beside: store),
            at: time.now(), logger: logger
        ) { number in
            LimitName(number: number).map { CountingRule($0.rule) }
        }
    }

    /// Until cancelled, drops what no longer counts, every ten minutes, and writes what nobody
    /// waits for, every second.
    package func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask {
                while true {
                    try await self.time.sleep(for: Self.purgePause)
                    self.table.sweep(at: self.time.now())
                }
            }
            group.addTask {
                while true {
                    try await self.time.sleep(for: Self.flushPause)
                    await self.flush()
                }
            }
            try await group.waitForAll()
        }
    }

    /// Writes what nobody waits for, and gives the journal back; blocks its thread meanwhile.
    package func close() { table.close() }

    private func flush() async {
        do {
            try await table.persisted([])
        } catch {
            // It stands in memory, and is written once the disk takes it; the journal has told.
            logger.debug("nothing was written", fields: [.detail: .error(error)])
        }
    }

    // MARK: LimitsService

    package func consume(
        _ request: RateLimitV1.ConsumeRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ConsumeResponse {
        let batch = try batch(request.charges)
        let keys = batch.map(\.key)
        let now = time.now()
        let repeatable = context.idempotencyKey.map { key in
            subjects.chargeID(context.application, key, keys)
        }
        let id = repeatable ?? randomness.rowKey()
        let verdict = ledger.withLock { ledger in
            if repeatable != nil, ledger.holds(id, at: now) { return LimitVerdict() }
            let verdict = table.decide(.consume, batch, at: now)
            if !verdict.isLimited { ledger.note(id, keys, at: now) }
            return verdict
        }
        if verdict.isFirst {
            let event = AuditEvent(.limitReached, subject: keys[verdict.deciding].hash)
            try await store.write { try $0.audit(event) }
        }
        if !verdict.isLimited { try await table.persisted(batch) }
        return RateLimitV1.ConsumeResponse(
            decision: try answer(verdict, request.charges, now),
            chargeId: verdict.isLimited ? "" : String(id, radix: 36))
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
        guard let charge = ledger.withLock({ $0.take(id, at: now) }) else {
            return RateLimitV1.RefundResponse()
        }
        let batch = charge.keys.compactMap { key in
            LimitName(number: key.limit).map {
                LimitRequest(key: key, rule: $0.rule, isShadow: false)
            }
        }
        if !batch.isEmpty { _ = table.decide(.refund(at: charge.moment), batch, at: now) }
        return RateLimitV1.RefundResponse()
    }

    package func peek(
        _ request: RateLimitV1.PeekRequest, _ context: CallContext
    ) throws -> RateLimitV1.PeekResponse {
        let batch = try batch(request.charges)
        let now = time.now()
        let verdict = table.decide(.peek, batch, at: now)
        return RateLimitV1.PeekResponse(decision: try answer(verdict, request.charges, now))
    }

    // MARK: Parts

    private func batch(_ charges: [RateLimitV1.Charge]) throws -> [LimitRequest] {
        guard (1...LimitTable.batchMax).contains(charges.count) else {
            throw ServiceError(.invalidArgument, fields: ["charges"])
        }
        let batch = try charges.map { charge in
            guard let limit = LimitName(rawValue: charge.limit) else {
                throw ServiceError(.invalidArgument, fields: ["charges.limit"])
            }
            guard (1...Self.subjectBytesMax).contains(charge.subject.utf8.count) else {
                throw ServiceError(.invalidArgument, fields: ["charges.subject"])
            }
            let key = subjects.limitKey(limit, charge.subject)
            return LimitRequest(key: key, rule: limit.rule, isShadow: false)
        }
        // One charge twice in a batch would be counted twice but refunded by one moment.
        guard Set(batch.map(\.key)).count == batch.count else {
            throw ServiceError(.invalidArgument, fields: ["charges"])
        }
        return batch
    }

    private func answer(
        _ verdict: LimitVerdict, _ charges: [RateLimitV1.Charge], _ now: Timestamp
    ) throws -> RateLimitV1.Decision {
        if verdict.isFull {
            logger.error("no room for another subject; new ones share a pool")
        }
        guard verdict.isLimited else {
            return RateLimitV1.Decision(
                limit: charges[verdict.deciding].limit,
                remaining: UInt32(clamping: verdict.remaining))
        }
        let wait = verdict.retryAt.map { ($0 - now).milliseconds } ?? Self.waitWithoutEnd
        return RateLimitV1.Decision(
            limited: true, limit: charges[verdict.deciding].limit,
            retryAfterMs: UInt64(clamping: max(1, wait)))
    }
}
