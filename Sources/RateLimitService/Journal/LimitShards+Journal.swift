import Contracts
import Storage

extension LimitShards: JournalSource {
    /// The largest frame of the log. It is large enough that the disk is not waited for too often,
    /// and bounds the memory.
    private static let frameBytes = 4 << 20

    var journalParts: Int { shardCount }

    func takeChanges(into bytes: inout JournalBytes) -> Bool {
        for shardIndex in 0..<shardCount {
            guard bytes.count < Self.frameBytes else { return true }
            locked(shardIndex) { $0.pointee.writeChanges(to: &bytes) }
        }
        return false
    }

    func copyPart(_ part: Int, into bytes: inout JournalBytes) {
        locked(part) { shard in
            shard.pointee.forEach { LimitRecord.append($1, of: $0, to: &bytes) }
        }
    }

    /// A part is a shard's states in order. If the shards are divided in the same way now, its
    /// records are appended to an empty table without searches.
    func restorePart(_ bytes: UnsafeRawBufferPointer) throws {
        let records = try LimitRecords(bytes)
        var rules = RuleCache(rules)
        let isDone = onlyShard(of: records).map { shardIndex, count in
            var isDone = false
            locked(shardIndex) { shard in
                guard shard.pointee.count == 0 else { return }
                shard.pointee.reserve(count)
                var end = 0
                for record in records where !isExpired(record, &rules) {
                    shard.pointee.append(record, behind: &end)
                }
                isDone = true
            }
            return isDone
        }
        guard isDone != true else { return }
        for record in records { restore(record, &rules) }
    }

    func restoreChanges(_ bytes: UnsafeRawBufferPointer, thread: Int, of threads: Int) throws {
        var rules = RuleCache(rules)
        for record in try LimitRecords(bytes) where shardIndex(of: record.key) % threads == thread {
            restore(record, &rules)
        }
    }

    /// The shard that all records belong to, and their number, if their keys ascend.
    private func onlyShard(of records: LimitRecords) -> (shardIndex: Int, count: Int)? {
        var first = records
        guard let key = first.next()?.key, let count = records.ascending else { return nil }
        let shardIndex = shardIndex(of: key)
        for record in records where self.shardIndex(of: record.key) != shardIndex { return nil }
        return (shardIndex, count)
    }

    private func restore(_ record: LimitRecord, _ rules: inout RuleCache) {
        // A state that no longer counts may be in the table from an older record.
        let isExpired = isExpired(record, &rules)
        locked(shardIndex(of: record.key)) { $0.pointee.restore(record, isExpired: isExpired) }
    }

    private func isExpired(_ record: LimitRecord, _ rules: inout RuleCache) -> Bool {
        // Charges are restored into the ledger (`LimitJournalSource`).
        guard !LimitJournalSource.isCharge(record.key) else { return true }
        guard !record.isEmpty, let state = record.state else { return true }
        return isExpired(record.key, state, by: rules[record.key.limit], at: startedAt)
    }
}

/// The journal's operations on a shard.
extension Shard {
    /// Records that a state must be written.
    @inline(__always)
    mutating func recordChange(_ slot: Slot) {
        guard isJournaled, !slot.isChanged else { return }
        slot.isChanged = true
        changes.record(slot.key)
    }

    /// Records that a state must be deleted on disk too; called before it is removed.
    mutating func recordRemoval(of slot: Slot) {
        if isJournaled { changes.recordRemoval(of: slot.key, isMarked: slot.isChanged) }
    }

    /// Appends the changes since the last call.
    mutating func writeChanges(to bytes: inout JournalBytes) {
        let taken = changes
        changes = ShardChanges()
        for key in taken.keys {
            let found = find(key)
            if found.exists {
                write(slots[found.slotIndex], to: &bytes)
            } else {
                LimitRecord.append(LimitState(.slidingWindow), of: key, to: &bytes)
            }
        }
        guard taken.hasUnlistedChanges else { return }
        for slotIndex in slots.slotIndices where !slots[slotIndex].isFree {
            write(slots[slotIndex], to: &bytes)
        }
    }

    private func write(_ slot: Slot, to bytes: inout JournalBytes) {
        guard slot.isChanged else { return }
        slot.isChanged = false
        LimitRecord.append(state(in: slot), of: slot.key, to: &bytes)
    }

    /// Visits all states.
    func forEach(_ body: (LimitKey, SlotState) -> Void) {
        for slotIndex in slots.slotIndices where !slots[slotIndex].isFree {
            body(slots[slotIndex].key, state(in: slots[slotIndex]))
        }
    }

    /// Reserves capacity for this number of states.
    mutating func reserve(_ number: Int) { slots.reserve(number) }

    /// Restores a state from the journal; it need not be written again.
    /// - Parameter isExpired: the state no longer counts.
    mutating func restore(_ record: LimitRecord, isExpired: Bool) {
        let found = find(record.key)
        guard !isExpired, let state = record.state else {
            if found.exists { remove(at: found.slotIndex) }
            return
        }
        if found.exists {
            overwrite(slots[found.slotIndex], with: state)
        } else {
            begin(state, of: record.key, in: slots.insert(record.key, at: found))
        }
    }

    /// Restores a state whose key is greater than all in the shard.
    /// - Parameter end: the index after the last slot in use.
    mutating func append(_ record: LimitRecord, behind end: inout Int) {
        guard let state = record.state else { return }
        if let slot = slots.append(record.key, behind: &end) {
            begin(state, of: record.key, in: slot)
        } else {
            restore(record, isExpired: false)
        }
    }

    private mutating func begin(_ state: SlotState, of key: LimitKey, in slot: Slot) {
        occupy(slot, key, state.kind)
        overwrite(slot, with: state)
    }
}

/// The keys of a shard's states that have changed since the journal last took them. Each changed
/// slot is also marked, so that its key is listed once.
struct ShardChanges {
    /// The largest number of listed keys of existing states. Further changed states are found by
    /// their marks: a list of a million keys would use as much memory as a third of a million
    /// states.
    private static let keysMax = 1_024

    private(set) var keys: [LimitKey] = []
    /// Whether there are more changed states, marked in their slots but not listed.
    private(set) var hasUnlistedChanges = false

    /// Records a state that was not marked before.
    mutating func record(_ key: LimitKey) {
        if keys.count < Self.keysMax { keys.append(key) } else { hasUnlistedChanges = true }
    }

    /// Records a state that is removed. Its mark is removed with it, so the key must be listed.
    /// - Parameter isMarked: the state is already recorded, in the list or by its mark.
    mutating func recordRemoval(of key: LimitKey, isMarked: Bool) {
        if !isMarked || hasUnlistedChanges { keys.append(key) }
    }
}
