import Contracts
package import Logging
package import Messages
package import RPC
package import ServiceRuntime
package import Storage
import Synchronization

/// Decides on rates (R-01 … R-06): in memory, exact, and on disk before the answer where the limit
/// is durable, so that a restart forgives nobody.
package final class RateLimitService: LimitsService {
    /// The store's schema.
    package static let migrations =
        RateLimitTables.migrations
        + [HitStore.migration, SubjectKeyStore.migration]
    private static let sweepPause = Duration.seconds(600)
    /// What devices get besides, of the room for subjects: a quarter.
    private static let devicesShare = 4

    /// Who is charged what.
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
    /// Where the known devices' journal is, and whether it is written.
    private let devicesJournal: LimitJournalPlace

    /// What the operator can ask and do.
    package var operations: LimitOperations {
        LimitOperations(policies: policies, subjectKeys: subjectKeys, time: time)
    }

    /// Who is charged what, by keys.
    var table: LimitTable { subjects.table }

    /// Loads what still counts.
    /// - Parameter keys: hash subjects; those of another master key forget all charges.
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

    /// Names the known devices' journal in health, as its files. The limits' own is in the store's
    /// part: without it no charge is answered, without this one a restart forgets devices.
    package func report(to parts: ProgramParts) {
        let writes = devicesJournal.writes
        parts.add(devicesJournal.name) { writes?.trouble }
    }

    /// Until cancelled: drops what no longer counts, writes what nobody waits for, and follows the
    /// operator's file.
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

    /// Drops what no longer counts, and the secrets that nothing is kept under any more.
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

    /// Writes what nobody waits for; also for the end, when no call comes any more.
    package func flush() async {
        await hits.write(at: time.now())
        // Each by itself: where one log fails, the other is written all the same.
        await write(subjects)
        await write(devices.subjects)
    }

    private func write(_ subjects: SubjectTable) async {
        do {
            try await subjects.write()
        } catch {
            // It stands in memory, and is tried again a second later; the journal has told.
            logger.debug(
                "limits.flush.failed", "writing pending counters failed",
                fields: [.detail: .error(error)])
        }
    }

    /// Gives the journals back; blocks its thread meanwhile.
    package func close() {
        table.close()
        devices.subjects.table.close()
    }

    // MARK: LimitsService

    package func consume(
        _ request: RateLimitV1.ConsumeRequest, _ context: CallContext
    ) async throws -> RateLimitV1.ConsumeResponse {
        // What the socket holds is read first: after a stall it holds calls with their Cancels.
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
                // The caller gets no number to take back: our trouble is not to be the person's.
                takeBack(id, isRight: false, asked, at: now)
                throw error
            }
        }
        return RateLimitV1.ConsumeResponse(
            decision: answer(verdict ?? LimitVerdict(), plan, request.language, now),
            chargeId: isLimited ? "" : String(id, radix: 36))
    }

    /// The number of a charge that no idempotency key names. The ledger keeps it in memory alone, as
    /// before: only what is repeated must outlive a restart.
    private func number(of request: RateLimitV1.ConsumeRequest) throws(ServiceError) -> Int64 {
        guard !request.chargeId.isEmpty else { return randomness.rowKey() }
        return try Self.chargeID(request.chargeId)
    }

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

    package func refund(
        _ request: RateLimitV1.RefundRequest, _ context: CallContext
    ) throws -> RateLimitV1.RefundResponse {
        // Those who name no charges made them under the secret that is still in force.
        let asked = request.charges.isEmpty ? [] : try AskedCharge.read(request.charges)
        takeBack(
            try Self.chargeID(request.chargeId), isRight: false, asked,
            only: try Self.withLanes(request.only), at: time.now())
        return RateLimitV1.RefundResponse()
    }

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

    package func peek(
        _ request: RateLimitV1.PeekRequest, _ context: CallContext
    ) throws -> RateLimitV1.PeekResponse {
        let now = time.now()
        let asked = try AskedCharge.read(request.charges)
        let (plan, verdict) = try decide(asked, at: now) { decide(.peek, $0, at: now) }
        return RateLimitV1.PeekResponse(
            decision: answer(verdict ?? LimitVerdict(), plan, request.language, now))
    }

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
