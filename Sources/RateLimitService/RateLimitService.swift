import Contracts
package import Logging
package import Messages
package import RPC
package import ServiceRuntime
package import Storage
import Synchronization

/// `postern.ratelimit.v1.Limits` (R-01 … R-06): exact decisions in memory, on disk before the
/// response if the limit is durable, so that a restart resets no limit.
package final class RateLimitService: LimitsService {
    /// The store's schema.
    package static let migrations =
        RateLimitTables.migrations
        + [HitStore.migration, SubjectKeyStore.migration]
    private static let sweepPause = Duration.seconds(600)
    /// The capacity for known devices, in addition to that for subjects: a quarter of it.
    private static let devicesShare = 4

    /// The states of subjects under limits.
    let subjects: SubjectTable
    let devices: KnownDevices
    let ledger = SharedLedger()
    let alarm = Mutex(CredentialStuffingDetector())
    let policies: PoliciesInForce
    let hits: LimitHits
    let hitStore: HitStore
    /// The secrets that subjects are hashed under.
    let subjectKeys: SubjectKeys
    let reports: TableReports
    let time: any Time
    let logger: Logger
    private let limitsFile: LimitsFile?
    private let resetsFrom: [String]
    private let randomness: any Randomness
    private let keys: RateLimitKeys
    /// The known devices' journal, and whether it can be written.
    private let devicesJournal: LimitJournalPlace

    /// The handler of the operator's rpcs.
    package var operations: LimitOperations {
        LimitOperations(policies: policies, subjectKeys: subjectKeys, time: time)
    }

    /// The states by their keys.
    var table: LimitTable { subjects.table }

    /// Creates the service and restores the states that still count.
    /// - Parameter keys: hash the subjects. With those of another master key no stored charge is
    ///   found.
    /// - Throws: `StoreError`, `JournalError`, `SQLError`; `SealedBoxError` if a subject secret was
    ///   sealed under another key.
    package init(
        settings: RateLimitSettings, store: Store, keys: RateLimitKeys, time: any Time,
        randomness: any Randomness, logger: Logger
    ) async throws {
        let policies = PoliciesInForce(settings.policies)
        self.policies = policies
        self.time = time
        self.randomness = randomness
        self.logger = logger
        self.keys = keys
        resetsFrom = settings.resetsFrom
        limitsFile = settings.limitsFile.map {
            LimitsFile(path: $0, into: policies, logger: logger)
        }
        reports = TableReports(logger: logger)
        hitStore = HitStore(store)
        hits = try await LimitHits(hitStore, logger: logger)
        subjectKeys = try await SubjectKeys(
            SubjectKeyStore(store: store, first: keys.subjects, box: keys.secrets),
            randomness: randomness, logger: logger)
        let table = try LimitTable(
            statesMax: settings.ringsMax, layout: TableLayout(of: settings.share),
            journal: LimitJournalPlace(beside: store), ledger: ledger, at: time.now(),
            logger: logger
        ) { number in
            LimitName(number: number).map { policies.value.rule($0) }
        }
        subjects = SubjectTable(table, subjectKeys)
        devicesJournal = .devices(beside: store, writes: PartCondition(time: time))
        devices = try KnownDevices(
            statesMax: settings.ringsMax / Self.devicesShare, journal: devicesJournal,
            keys: subjectKeys, at: time.now(), logger: logger)
    }

    /// Adds the known devices' journal to the health report, under the name of its files. The
    /// limits' own journal is reported with the store: without it no durable charge is accepted.
    /// Without this one a restart only forgets devices.
    package func report(to parts: ProgramParts) {
        let writes = devicesJournal.writes
        parts.add(devicesJournal.name) { writes?.trouble }
    }

    /// Runs until cancelled: drops states that no longer count, writes what no call waits for, and
    /// watches the operator's file.
    /// - Throws: `CancellationError`.
    package func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await self.each(Self.sweepPause) { await self.sweep() }
            }
            group.addTask {
                try await self.each(LimitHits.interval) { await self.flush() }
            }
            if let limitsFile {
                group.addTask { try await self.each(LimitsFile.interval) { limitsFile.look() } }
            }
            try await group.waitForAll()
        }
    }

    /// Drops states that no longer count, and the secrets that no state needs any more.
    func sweep() async {
        let now = time.now()
        table.sweep(at: now)
        devices.subjects.table.sweep(at: now)
        await subjectKeys.prune(at: now)
    }

    private func each(_ pause: Duration, _ work: () async -> Void) async throws {
        while true {
            try await time.sleep(for: pause)
            await work()
        }
    }

    /// Writes what no call waits for; called at shutdown too, after the last call.
    package func flush() async {
        await hits.write(at: time.now())
        // Each in its own call: if one log fails, the other is still written.
        await write(subjects)
        await write(devices.subjects)
    }

    private func write(_ subjects: SubjectTable) async {
        do {
            try await subjects.write()
        } catch {
            // The states stay in memory and the next attempt is a second later; the journal has
            // logged the error.
            logger.debug(
                "limits.flush.failed", "writing pending counters failed",
                fields: [.detail: .error(error)])
        }
    }

    /// Closes the journals; blocks its thread.
    package func close() {
        table.close()
        devices.subjects.table.close()
    }

    // MARK: LimitsService

    /// Charges every entry or none. Returns once durable charges are on disk.
    /// - Throws: `rpc/invalid-argument`; `rpc/resource-exhausted` for too many retries under one
    ///   idempotency key; `rpc/cancelled`, not processed, if the caller no longer waits;
    ///   `rpc/unavailable` if the disk accepts no writes.
    package func consume(
        _ request: RateLimitV1.ConsumeRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ConsumeResponse {
        // The socket's content is read first: after a stall it contains calls together with their
        // cancellations.
        await Task.yield()
        try requireCaller(of: context)
        let now = time.now()
        let asked = try AskedCharge.read(request.charges)
        let namer = try SubjectNamer(request.namedBy)
        let repeatable = context.idempotencyKey.map { key in
            keys.chargeID(context.application, key, asked)
        }
        let id = try repeatable ?? number(of: request)
        let (plan, verdict) = try decide(asked, namedBy: namer, at: now) {
            try charge($0, as: id, isRepeatable: repeatable != nil, at: now)
        }
        if let verdict { await tell(verdict, of: plan, at: now) }
        let isLimited = verdict?.isLimited ?? false
        if !isLimited, plan.isDurable {
            do {
                try await table.persisted(plan.requests)
                try requireCaller(of: context)
            } catch {
                // The caller gets no id to refund. An error on our side must not count against the
                // user.
                takeBack(id, isRight: false, asked, at: now)
                throw error
            }
        }
        return RateLimitV1.ConsumeResponse(
            decision: answer(verdict ?? LimitVerdict(), plan, request.language, now),
            chargeId: isLimited ? "" : String(id, radix: 36))
    }

    /// The id of a charge without an idempotency key. The ledger keeps it in memory only, because
    /// it cannot be retried.
    /// - Throws: `rpc/invalid-argument`.
    private func number(of request: RateLimitV1.ConsumeRequest) throws(ServiceError) -> Int64 {
        guard !request.chargeId.isEmpty else { return randomness.rowKey() }
        return try Self.chargeID(request.chargeId)
    }

    /// Charges limits that need not survive a crash, without waiting for the disk.
    /// - Throws: `rpc/invalid-argument`, also for a durable limit.
    package func check(
        _ request: RateLimitV1.CheckRequest, _ context: CallContext
    ) throws -> RateLimitV1.CheckResponse {
        let now = time.now()
        if request.charges.count == 1 {
            let charge = try AskedCharge(request.charges[0])
            if let decision = checkAlone(charge, request.language, at: now) {
                return RateLimitV1.CheckResponse(decision: decision)
            }
        }
        let asked = try AskedCharge.read(request.charges)
        guard !asked.contains(where: \.limit.definition.isDurable) else {
            throw ServiceError(.invalidArgument, fields: ["charges.limit"])
        }
        let (plan, decided) = try decide(asked, at: now) { decide(.consume, $0, at: now) }
        let verdict = decided ?? LimitVerdict()
        count(verdict, of: plan, at: now)
        return RateLimitV1.CheckResponse(decision: answer(verdict, plan, request.language, now))
    }

    /// Refunds a charge, or the part of it in the limits of `only`.
    /// - Throws: `rpc/invalid-argument`.
    package func refund(
        _ request: RateLimitV1.RefundRequest, _ context: CallContext
    ) throws -> RateLimitV1.RefundResponse {
        // A caller that names no charges made them under the current secret.
        let asked = request.charges.isEmpty ? [] : try AskedCharge.read(request.charges)
        takeBack(
            try Self.chargeID(request.chargeId), isRight: false, asked,
            only: try Self.withLanes(request.only), at: time.now())
        return RateLimitV1.RefundResponse()
    }

    /// Refunds the charge of a right attempt, starts ladders and locks over, and records the
    /// devices.
    /// - Throws: `rpc/invalid-argument`.
    package func succeed(
        _ request: RateLimitV1.SucceedRequest, _ context: CallContext
    ) throws -> RateLimitV1.SucceedResponse {
        let now = time.now()
        let asked = try AskedCharge.read(request.charges)
        if !request.chargeId.isEmpty {
            takeBack(try Self.chargeID(request.chargeId), isRight: true, asked, at: now)
        }
        if request.forgetDevices { for charge in asked { forgetDevices(of: charge, at: now) } }
        beginAnew(asked, at: now)
        for charge in asked { markDevice(charge, at: now) }
        return RateLimitV1.SucceedResponse()
    }

    /// Returns the decision that `consume` would make, and charges nothing.
    /// - Throws: `rpc/invalid-argument`.
    package func peek(
        _ request: RateLimitV1.PeekRequest, _ context: CallContext
    ) throws -> RateLimitV1.PeekResponse {
        let now = time.now()
        let asked = try AskedCharge.read(request.charges)
        let (plan, verdict) = try decide(asked, at: now) { decide(.peek, $0, at: now) }
        return RateLimitV1.PeekResponse(
            decision: answer(verdict ?? LimitVerdict(), plan, request.language, now))
    }

    /// Deletes the states of the entries' subjects, with an audit event each.
    /// - Throws: `rpc/permission-denied` unless the application is in `resets-from`;
    ///   `rpc/invalid-argument`; `rpc/unavailable` if the disk accepts no writes.
    package func reset(
        _ request: RateLimitV1.ResetRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ResetResponse {
        guard resetsFrom.contains(context.application) else {
            throw ServiceError(.permissionDenied)
        }
        let forgotten = try await forget(AskedCharge.read(request.charges), at: time.now())
        return RateLimitV1.ResetResponse(forgotten: UInt32(clamping: forgotten))
    }
}
