import Contracts
import Storage

extension LimitShards: JournalSource {
    /// The largest frame of the log. It is large enough that the disk is not waited for too often,
    /// and bounds the memory.
    private static let frameBytes = 4 << 20

    var journalParts: Int { number }

    func takeChanges(into bytes: inout JournalBytes) -> Bool {
        for place in 0..<number {
            guard bytes.count < Self.frameBytes else { return true }
            locked(place) { $0.pointee.writeChanges(to: &bytes) }
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
        let isDone = onlyShard(of: records).map { place, count in
            var isDone = false
            locked(place) { shard in
                guard shard.pointee.count == 0 else { return }
                shard.pointee.reserve(count)
                var end = 0
                for record in records where !isGone(record, &rules) {
                    shard.pointee.append(record, behind: &end)
                }
                isDone = true
            }
            return isDone
        }
        guard isDone != true else { return }
        for record in records { restore(record, &rules) }
    }

    func restoreChanges(_ bytes: UnsafeRawBufferPointer, lane: Int, of lanes: Int) throws {
        var rules = RuleCache(rules)
        for record in try LimitRecords(bytes) where place(of: record.key) % lanes == lane {
            restore(record, &rules)
        }
    }

    /// The shard that all records belong to, and their number, if their keys ascend.
    private func onlyShard(of records: LimitRecords) -> (place: Int, count: Int)? {
        var first = records
        guard let key = first.next()?.key, let count = records.ascending else { return nil }
        let place = place(of: key)
        for record in records where self.place(of: record.key) != place { return nil }
        return (place, count)
    }

    private func restore(_ record: LimitRecord, _ rules: inout RuleCache) {
        // A state that no longer counts may be in the table from an older record.
        let isGone = isGone(record, &rules)
        locked(place(of: record.key)) { $0.pointee.restore(record, isGone: isGone) }
    }

    private func isGone(_ record: LimitRecord, _ rules: inout RuleCache) -> Bool {
        // Charges are restored into the ledger (`LimitJournalSource`).
        guard record.key.limit != LimitJournalSource.number else { return true }
        guard !record.isEmpty, let state = record.state else { return true }
        return isOver(record.key, state, by: rules[record.key.limit], at: startedAt)
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
    mutating func recordEnd(of slot: Slot) {
        if isJournaled { changes.recordEnd(of: slot.key, isMarked: slot.isChanged) }
    }

    /// Appends the changes since the last call.
    mutating func writeChanges(to bytes: inout JournalBytes) {
        let taken = changes
        changes = ShardChanges()
        for key in taken.keys {
            let found = find(key)
            if found.isThere {
                write(slots[found.place], to: &bytes)
            } else {
                LimitRecord.append(LimitState(.slidingWindow), of: key, to: &bytes)
            }
        }
        guard taken.areMore else { return }
        for place in slots.places where !slots[place].isFree { write(slots[place], to: &bytes) }
    }

    private func write(_ slot: Slot, to bytes: inout JournalBytes) {
        guard slot.isChanged else { return }
        slot.isChanged = false
        LimitRecord.append(state(in: slot), of: slot.key, to: &bytes)
    }

    /// Visits all states.
    func forEach(_ body: (LimitKey, SlotState) -> Void) {
        for place in slots.places where !slots[place].isFree {
            body(slots[place].key, state(in: slots[place]))
        }
    }

    /// Reserves capacity for this number of states.
    mutating func reserve(_ number: Int) { slots.reserve(number) }

    /// Restores a state from the journal; it need not be written again.
    /// - Parameter isGone: the state no longer counts.
    mutating func restore(_ record: LimitRecord, isGone: Bool) {
        let found = find(record.key)
        guard !isGone, let state = record.state else {
            if found.isThere { remove(at: found.place) }
            return
        }
        if found.isThere {
            overwrite(slots[found.place], with: state)
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
            restore(record, isGone: false)
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
    private(set) var areMore = false

    /// Records a state that was not marked before.
    mutating func record(_ key: LimitKey) {
        if keys.count < Self.keysMax { keys.append(key) } else { areMore = true }
    }

    /// Records a state that is removed. Its mark is removed with it, so the key must be listed.
    /// - Parameter isMarked: the state is already recorded, in the list or by its mark.
    mutating func recordEnd(of key: LimitKey, isMarked: Bool) {
        if !isMarked || areMore { keys.append(key) }
    }
}
