import Contracts
import Storage

extension LimitStripes: JournalSource {
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
        locked(part) { stripe in
            stripe.pointee.forEach { LimitRecord.append($1, of: $0, to: &bytes) }
        }
    }

    /// A part is a stripe's states in order. If the stripes are divided in the same way now, its
    /// records are appended to an empty table without searches.
    func restorePart(_ bytes: UnsafeRawBufferPointer) throws {
        let records = try LimitRecords(bytes)
        var rules = RulesAtHand(rules)
        let isDone = onlyStripe(of: records).map { place, count in
            var isDone = false
            locked(place) { stripe in
                guard stripe.pointee.count == 0 else { return }
                stripe.pointee.reserve(count)
                var end = 0
                for record in records where !isGone(record, &rules) {
                    stripe.pointee.append(record, behind: &end)
                }
                isDone = true
            }
            return isDone
        }
        guard isDone != true else { return }
        for record in records { restore(record, &rules) }
    }

    func restoreChanges(_ bytes: UnsafeRawBufferPointer, lane: Int, of lanes: Int) throws {
        var rules = RulesAtHand(rules)
        for record in try LimitRecords(bytes) where place(of: record.key) % lanes == lane {
            restore(record, &rules)
        }
    }

    /// The stripe that all records belong to, and their number, if their keys ascend.
    private func onlyStripe(of records: LimitRecords) -> (place: Int, count: Int)? {
        var first = records
        guard let key = first.next()?.key, let count = records.ascending else { return nil }
        let place = place(of: key)
        for record in records where self.place(of: record.key) != place { return nil }
        return (place, count)
    }

    private func restore(_ record: LimitRecord, _ rules: inout RulesAtHand) {
        // A state that no longer counts may be in the table from an older record.
        let isGone = isGone(record, &rules)
        locked(place(of: record.key)) { $0.pointee.restore(record, isGone: isGone) }
    }

    private func isGone(_ record: LimitRecord, _ rules: inout RulesAtHand) -> Bool {
        // Charges are restored into the ledger (`LimitJournalSource`).
        guard record.key.limit != LimitJournalSource.number else { return true }
        guard !record.isEmpty, let state = record.state else { return true }
        return isOver(record.key, state, by: rules[record.key.limit], at: startedAt)
    }
}
