package import Contracts
package import Logging
package import RPC
package import ServiceRuntime
package import Storage

/// The rate limiter over one store and its journals: its handlers, and the work beside them.
package struct RateLimitService: Sendable {
    private static let sweepPause = Duration.seconds(600)
    /// The capacity for marks, in addition to that for subjects: a quarter of it for known devices,
    /// and as much for shared sites.
    private static let marksShare = 2

    /// The handler of `Limits`.
    package let limits: LimitsHandler
    /// The names of the journals in the store's folder.
    package let journals: [String]
    /// The secrets that subjects are hashed under.
    let subjectKeys: SubjectKeys
    let logger: Logger
    private let limitsFile: LimitsFile?
    /// The purge of the audit trail.
    private let duties: Duties
    /// The marks' journal, and whether it can be written. Its files have the name of the known
    /// devices, which they had alone once.
    private let marksJournal: LimitJournalLocation

    private var time: any Time { limits.time }
    private var tables: [SubjectTable] { [limits.subjects, limits.devices.subjects] }

    /// The handler of `LimitOperation`.
    var operations: LimitOperationHandler {
        LimitOperationHandler(policies: limits.policies, subjectKeys: subjectKeys, time: time)
    }

    /// Opens the service and restores the states that still count.
    /// - Parameter keys: hash the subjects. With those of another master key no stored charge is
    ///   found.
    /// - Throws: `StoreError`, `JournalError`, `SQLError`; `SealedBoxError` if a subject secret was
    ///   sealed under another key.
    package init(
        settings: RateLimitSettings, store: Store, keys: RateLimitKeys, time: any Time,
        randomness: any Randomness, logger: Logger
    ) async throws {
        let policies = CurrentPolicies(settings.policies)
        let ledger = SharedLedger()
        let hits = try await LimitHits(store, time: time, logger: logger)
        subjectKeys = try await SubjectKeys(
            keys, in: store, randomness: randomness, logger: logger)
        let journal = LimitJournalLocation(beside: store, writes: store.writes)
        let table = try LimitTable(
            statesMax: settings.subjectsMax, layout: TableLayout(of: settings.share),
            journal: journal, ledger: ledger, at: time.now(), logger: logger
        ) { number in
            LimitName(number: number).map { policies.value.rule($0) }
        }
        let subjects = SubjectTable(table, subjectKeys)
        marksJournal = LimitJournalLocation(
            beside: store, suffix: "-devices", writes: PartCondition(time: time))
        journals = [journal.name, marksJournal.name]
        let marks = try LimitTable(
            statesMax: settings.subjectsMax / Self.marksShare, layout: .marks,
            journal: marksJournal, at: time.now(), logger: logger
        ) { number in
            LimitName(number: number).map { policies.value.ruleOfMark($0) }
        }
        limits = LimitsHandler(
            subjects: subjects, marks: SubjectTable(marks, subjectKeys), ledger: ledger,
            policies: policies, hits: hits,
            chargeIDs: ChargeIDs(key: keys.calls, randomness: randomness),
            resetsFrom: settings.resetsFrom, time: time)
        if let path = settings.limitsFile, let current = settings.limits {
            limitsFile = LimitsFile(path: path, current: current, into: policies, logger: logger)
        } else {
            limitsFile = nil
        }
        duties = Duties(of: store, purging: [], [], time: time)
        self.logger = logger
    }

    /// The handler of `AccountData`.
    var accountData: AccountDataHandler { AccountDataHandler(limits: limits, time: time) }

    /// The rpcs of all handlers, for a server.
    package var methods: [ServiceMethods] {
        [
            LimitsDispatcher.methods(of: limits),
            LimitOperationDispatcher.methods(of: operations),
            AccountDataDispatcher.methods(of: accountData),
        ]
    }

    /// The work beside the handlers. Each task runs until cancelled.
    package var tasks: [@Sendable () async throws -> Void] { [run] }

    /// Adds the marks' journal to the health report, under the name of its files. The limits' own
    /// journal is reported with the store: without it no durable charge is accepted. Without this
    /// one a restart only forgets devices and sites.
    package func report(to parts: ProgramParts) {
        let writes = marksJournal.writes
        parts.add(marksJournal.name) { writes?.failure }
    }

    /// Runs until cancelled: drops states that no longer count, writes what no call waits for, and
    /// watches the operator's file.
    /// - Throws: `CancellationError`.
    package func run() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await each(Self.sweepPause) { await sweep() } }
            group.addTask { try await each(LimitHits.interval) { await flush() } }
            group.addTask { await duties.run() }
            if let limitsFile { group.addTask { await limitsFile.run(time) } }
            try await group.waitForAll()
        }
    }

    /// Drops states that no longer count, and the secrets that are no longer looked up.
    func sweep() async {
        let now = time.now()
        for subjects in tables { subjects.table.sweep(at: now) }
        await subjectKeys.prune(at: now)
    }

    private func each(_ pause: Duration, _ work: () async -> Void) async throws {
        while true {
            try await time.sleep(for: pause)
            await work()
        }
    }

    /// Writes what no call waits for, and closes the journals. Call it after the tasks have ended
    /// and before the store closes.
    package func close() async {
        await flush()
        closeJournals()
    }

    /// Writes what no call waits for.
    func flush() async {
        await limits.hits.write(at: time.now())
        for subjects in tables {
            do {
                try await subjects.table.persisted()
            } catch {
                // The other log is still written. The states stay in memory and the next attempt is
                // a second later; the journal has logged the error.
                logger.debug(
                    "limits.flush.failed", "writing pending counters failed",
                    fields: [.detail: .error(error)])
            }
        }
    }

    /// Closes the journals; blocks its thread.
    func closeJournals() {
        for subjects in tables { subjects.table.close() }
    }
}

extension RateLimitService {
    /// For benchmarks: charges each of `count` subjects of a limit once. Their names are the
    /// numbers below `count` in eight digits. Returns once they are on disk.
    /// - Throws: `rpc/unavailable` if the disk accepts no writes.
    package func fill(_ limit: LimitName, subjects count: Int) async throws {
        let rule = limits.policies.value.rule(limit)
        let subjects = limits.subjects
        let now = limits.time.now()
        for subject in 0..<count {
            let digits = "\(subject)"
            let name = String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits
            let request = subjects.request(limit, name, rule, subjects.ring, at: now)
            _ = subjects.table.apply(.consume, request, at: now)
        }
        try await subjects.table.persisted()
    }
}
