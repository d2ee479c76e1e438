import Contracts
package import Logging
package import ServiceRuntime
import Storage
import Synchronization

/// The states of all subjects, in memory and in a journal, and the decisions on them.
///
/// The states are spread over shards by their hash. A batch locks its shards in order, decides,
/// and unlocks. So it is atomic, and a thread never waits longer than other threads take to decide.
package final class LimitTable: Sendable {
    /// The largest number of requests in a batch.
    package static let batchMax = 20

    let shards: LimitShards
    /// The number of the secret that keys are derived from now (`SubjectKeyRing`).
    private let keyNumber = Atomic<Int64>(0)
    private let journal: Journal?

    /// Creates a table that a restart clears.
    /// - Parameters:
    ///   - statesMax: subjects with a state of their own; the others share buckets.
    ///   - layout: how limits share that capacity.
    init(
        statesMax: Int, layout: TableLayout = .single, rules: @escaping LimitShards.Rules
    ) {
        shards = LimitShards(
            statesMax: statesMax, layout: layout, startedAt: 0, isJournaled: false, rules: rules)
        journal = nil
    }

    /// Creates a table and restores it from its journal.
    /// - Parameter ledger: the charges that the journal also contains.
    /// - Throws: `JournalError`, `StoreError`, `SQLError`.
    init(
        statesMax: Int, layout: TableLayout = .single, journal place: LimitJournalPlace,
        ledger: SharedLedger? = nil, at now: Timestamp, logger: Logger,
        rules: @escaping LimitShards.Rules
    ) throws {
        shards = LimitShards(
            statesMax: statesMax, layout: layout, startedAt: Self.moment(now), isJournaled: true,
            rules: rules)
        let source: any JournalSource =
            if let ledger { LimitJournalSource(shards, ledger) } else { shards }
        journal = try Journal(
            folder: place.folder, name: place.name, source: source, files: place.files,
            logBytes: place.logBytes, writes: place.writes, logger: logger)
    }

    /// Creates a table whose limits all have one rule, for benchmarks and for tests in other
    /// modules.
    /// - Parameter folder: the folder of its journal; nil for a table that a restart clears.
    /// - Precondition: the rule has no `flaw`.
    /// - Throws: `JournalError`, `StoreError`, `SQLError`.
    package convenience init(
        statesMax: Int, rule: LimitRule, folder: String?, at now: Timestamp, logger: Logger
    ) throws {
        let counting = CountingRule(rule)
        guard let folder else {
            self.init(statesMax: statesMax) { _ in counting }
            return
        }
        try self.init(
            statesMax: statesMax, journal: LimitJournalPlace(folder: folder, name: "limits"),
            at: now, logger: logger
        ) { _ in counting }
    }

    /// Makes the secret with that number the current one. Calls with keys under another secret then
    /// start over.
    func use(_ number: Int64) { keyNumber.store(number, ordering: .releasing) }

    /// Whether the secret with that number is the current one. Read with the shards locked, so
    /// that a decision after it comes before any later move.
    func isCurrent(_ number: Int64) -> Bool { keyNumber.load(ordering: .acquiring) == number }

    /// The number of subjects.
    package var count: Int {
        var sum = 0
        shards.forEachLocked { sum += $0.pointee.count }
        return sum
    }

    /// Whether there is a state under a key.
    func holds(_ key: LimitKey) -> Bool {
        var isThere = false
        shards.locked(shards.place(of: key)) { isThere = $0.pointee.find(key).isThere }
        return isThere
    }

    /// Memory used, in bytes.
    package var bytes: Int {
        var sum = 0
        shards.forEachLocked { sum += $0.pointee.bytes }
        return sum
    }

    /// Applies an operation to one request and decides on it: one look-up, changed in place.
    package func apply(
        _ operation: BatchOperation, _ request: LimitRequest, at now: Timestamp,
        under number: Int64? = nil
    ) -> LimitVerdict {
        let place = shards.place(of: request.key)
        shards.lock(place)
        defer { shards.unlock(place) }
        guard number.map(isCurrent) ?? true else { return LimitVerdict(isStale: true) }
        let shard = shards[place]
        let moment = Self.moment(now)
        let found = shard.pointee.find(request.key)
        let isPlain = found.isThere || shard.pointee.hasCapacity(for: request.key.limit)
        switch operation {
        case .consume where isPlain: return consume(request, shard, found, at: moment)
        case .peek where isPlain: return survey(request, shard, found, at: moment).verdict
        default: return applyLocked(operation, [request], at: moment)
        }
    }

    /// Applies an operation to a batch and decides on it, atomically; never waits for I/O.
    /// - Parameter number: the number of the secret that the batch's keys were derived from. If
    ///   another one has become current since, nothing is changed or decided (`isStale`).
    /// - Precondition: 1 to 20 requests, no key twice.
    package func apply(
        _ operation: BatchOperation, _ batch: [LimitRequest], at now: Timestamp,
        under number: Int64? = nil
    ) -> LimitVerdict {
        precondition((1...Self.batchMax).contains(batch.count), "callers check what comes in")
        if batch.count == 1 { return apply(operation, batch[0], at: now, under: number) }
        var locks = ShardLocks()
        for request in batch { locks.add(shards.place(of: request.key)) }
        for place in 0..<locks.count { shards.lock(locks[place]) }
        defer { for place in 0..<locks.count { shards.unlock(locks[place]) } }
        guard number.map(isCurrent) ?? true else { return LimitVerdict(isStale: true) }
        return applyLocked(operation, batch, at: Self.moment(now))
    }

    /// Returns once all decisions so far are on disk.
    /// - Throws: `rpc/unavailable` while the disk accepts no writes. The charge stays in memory and
    ///   will be written.
    package func persisted() async throws { try await journal?.flush() }

    /// Drops states that no longer count.
    package func sweep(at now: Timestamp) {
        shards.forEachLocked { shards.sweep($0, at: Self.moment(now)) }
    }

    /// Writes the pending changes and closes the journal's files; blocks its thread.
    package func close() { journal?.close() }

    // MARK: One request, with its shard's lock held

    @inline(__always)
    private func consume(
        _ request: LimitRequest, _ shard: UnsafeMutablePointer<Shard>, _ found: Shard.Found,
        at now: Int64
    ) -> LimitVerdict {
        var survey = survey(request, shard, found, at: now)
        if survey.verdict.isLimited {
            shard.pointee.markReported(found)
        } else if !survey.verdict.isSpared(0),
            !shard.pointee.charge(request.rule, request.key, at: found, now)
        {
            survey.refuse(0)
        }
        return survey.verdict
    }

    @inline(__always)
    private func survey(
        _ request: LimitRequest, _ shard: UnsafeMutablePointer<Shard>, _ found: Shard.Found,
        at now: Int64
    ) -> BatchSurvey {
        var survey = BatchSurvey()
        survey.add(
            shard.pointee.answer(request.rule, at: found, now), of: request, at: 0,
            isShared: false, isReported: shard.pointee.isReported(found))
        return survey
    }

    /// The time as a number, limited so that sums cannot overflow.
    static func moment(_ time: Timestamp) -> Int64 {
        min(max(time.milliseconds, 0), 1 << 50)
    }
}
