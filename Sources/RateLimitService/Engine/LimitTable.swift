package import Contracts
package import Logging
package import ServiceRuntime
import Storage
import Synchronization

/// The states of all subjects, in memory and in a journal, and the decisions on them.
///
///     LimitTable          batches: locks their shards, decides, unlocks
///       LimitShards       up to 256 shards with a lock each; a key's shard and shared bucket
///         Shard           capacity by class; states begin, grow and end
///           SlotTable     slots in the order of their keys: linear probing, Robin Hood hashing
///             Slot        one state in 48 bytes, with up to five moments
///           MomentBlocks  blocks of 16 or 64 moments, for states with more
///
/// `TableLayout` divides the capacity among the limits. The rules of `Algorithms/` decide, and
/// change states in place (`Shard+Rules.swift`).
///
/// A change becomes durable without I/O under a lock: `Shard.recordChange` marks the slot, and
/// `ShardChanges` lists its key. The journal's thread takes the listed states through
/// `LimitJournalSource`, one shard at a time, and writes them (`Storage/Journal/Journal.swift`).
/// `persisted` waits until it has.
///
/// The states are spread over shards by their hash. A batch locks its shards in order, decides,
/// and unlocks. So it is atomic, and a thread never waits longer than other threads take to decide.
package final class LimitTable: Sendable {
    /// The largest number of requests in a batch.
    package static let batchMax = 20

    let shards: LimitShards
    /// The number of the secret that new states go under (`SubjectKeyRing`).
    private let currentKeyNumber = Atomic<Int64>(0)
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
        statesMax: Int, layout: TableLayout = .single, journal location: LimitJournalLocation,
        ledger: SharedLedger? = nil, at now: Timestamp, logger: Logger,
        rules: @escaping LimitShards.Rules
    ) throws {
        shards = LimitShards(
            statesMax: statesMax, layout: layout, startedAt: Self.moment(now), isJournaled: true,
            rules: rules)
        let source: any JournalSource =
            if let ledger { LimitJournalSource(shards, ledger) } else { shards }
        journal = try Journal(
            folder: location.folder, name: location.name, source: source, files: location.files,
            logBytes: location.logBytes, writes: location.writes, logger: logger)
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
            statesMax: statesMax, journal: LimitJournalLocation(folder: folder, name: "limits"),
            at: now, logger: logger
        ) { _ in counting }
    }

    /// Makes the secret with that number the current one. Calls that were made under another one
    /// then start over.
    func use(_ keyNumber: Int64) {
        currentKeyNumber.store(keyNumber, ordering: .releasing)
    }

    /// Whether the secret with that number is the current one. Read with the shards locked, so
    /// that a call under the next secret finds the state that a decision after it begins.
    func isCurrent(_ keyNumber: Int64) -> Bool {
        currentKeyNumber.load(ordering: .acquiring) == keyNumber
    }

    /// The number of subjects.
    package var count: Int {
        var sum = 0
        shards.forEachLocked { sum += $0.pointee.count }
        return sum
    }

    /// Whether there is a state under a key.
    func holds(_ key: LimitKey) -> Bool {
        var exists = false
        shards.locked(shards.shardIndex(of: key)) { exists = $0.pointee.find(key).exists }
        return exists
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
        under keyNumber: Int64? = nil
    ) -> LimitVerdict {
        let shardIndex = shards.shardIndex(of: request.key)
        shards.lock(shardIndex)
        defer { shards.unlock(shardIndex) }
        guard keyNumber.map(isCurrent) ?? true else { return LimitVerdict(isStale: true) }
        let shard = shards[shardIndex]
        let moment = Self.moment(now)
        guard !hasEnded(request, at: moment) else { return LimitVerdict(isStale: true) }
        let found = shard.pointee.find(request.key)
        let isPlain = found.exists || shard.pointee.hasCapacity(for: request.key.limit)
        switch operation {
        case .consume where isPlain: return consume(request, shard, found, at: moment)
        case .peek where isPlain: return survey(request, shard, found, at: moment).verdict
        default: return applyLocked(operation, [request], at: moment)
        }
    }

    /// Applies an operation to a batch and decides on it, atomically; never waits for I/O.
    /// - Parameter keyNumber: the number of the secret that was the current one when the batch was
    ///   made. If another one has become current since, nothing is changed or decided (`isStale`).
    /// - Precondition: 1 to 20 requests, no key twice.
    package func apply(
        _ operation: BatchOperation, _ batch: [LimitRequest], at now: Timestamp,
        under keyNumber: Int64? = nil
    ) -> LimitVerdict {
        precondition((1...Self.batchMax).contains(batch.count), "callers check what comes in")
        if batch.count == 1 { return apply(operation, batch[0], at: now, under: keyNumber) }
        var locks = ShardLocks()
        for request in batch { locks.add(shards.shardIndex(of: request.key)) }
        for index in 0..<locks.count { shards.lock(locks[index]) }
        defer { for index in 0..<locks.count { shards.unlock(locks[index]) } }
        let moment = Self.moment(now)
        guard keyNumber.map(isCurrent) ?? true,
            !batch.contains(where: { hasEnded($0, at: moment) })
        else { return LimitVerdict(isStale: true) }
        return applyLocked(operation, batch, at: moment)
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
            !shard.pointee.charge(request.rule, of: request.amount, request.key, at: found, now)
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
            shard.pointee.answer(request.rule, of: request.amount, at: found, now), of: request,
            at: 0, isShared: false, isReported: shard.pointee.isReported(found))
        return survey
    }

    /// The time as a number, limited so that sums cannot overflow.
    static func moment(_ time: Timestamp) -> Int64 {
        min(max(time.milliseconds, 0), 1 << 50)
    }
}
