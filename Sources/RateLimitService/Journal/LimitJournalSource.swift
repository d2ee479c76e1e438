import Contracts
import ServiceRuntime
import Storage
import Synchronization

/// The content of a table's journal: the shards' states, and the charges under idempotency keys
/// (`ChargeLedger`), so that a retry is not charged again after a restart.
///
/// A charge is written after the states, in the format of a state (`LimitRecord`), with a limit
/// number that no limit has. A version that does not know charges keeps it as a state of an unknown
/// limit.
///
/// A call decides and records its charge under the ledger's lock, and the ledger is read after the
/// shards. So a frame that contains the states changed by a call contains its charge too. In the
/// other order, a crash could keep the states and lose the idempotency key.
final class LimitJournalSource: JournalSource {
    /// The limit number of a record that is a charge.
    static let number = UInt16.max

    private let shards: LimitShards
    private let ledger: SharedLedger

    init(_ shards: LimitShards, _ ledger: SharedLedger) {
        self.shards = shards
        self.ledger = ledger
    }

    var journalParts: Int { shards.journalParts + 1 }

    func takeChanges(into bytes: inout JournalBytes) -> Bool {
        if shards.takeChanges(into: &bytes) { return true }
        for (id, charge) in ledger.withLock({ $0.takeChanges() }) {
            Self.append(charge, id, to: &bytes)
        }
        return false
    }

    func copyPart(_ part: Int, into bytes: inout JournalBytes) {
        guard part == shards.journalParts else { return shards.copyPart(part, into: &bytes) }
        for charge in ledger.withLock({ $0.kept }) { Self.append(charge, charge.id, to: &bytes) }
    }

    func restorePart(_ bytes: UnsafeRawBufferPointer) throws {
        guard LimitRecord(bytes)?.key.limit == Self.number else {
            return try shards.restorePart(bytes)
        }
        try restoreCharges(bytes)
    }

    func restoreChanges(_ bytes: UnsafeRawBufferPointer, lane: Int, of lanes: Int) throws {
        try shards.restoreChanges(bytes, lane: lane, of: lanes)
        if lane == 0 { try restoreCharges(bytes) }
    }

    private func restoreCharges(_ bytes: UnsafeRawBufferPointer) throws {
        let now = Timestamp(milliseconds: shards.startedAt)
        for record in try LimitRecords(bytes) where record.key.limit == Self.number {
            let id = Int64(bitPattern: record.key.high)
            guard !record.isEmpty, let state = record.state else {
                ledger.withLock { $0.restoreEnd(of: id) }
                continue
            }
            let charge = ChargeLedger.Kept(
                id: id, moment: Timestamp(milliseconds: state.moments.base),
                repeats: Int(state.step))
            ledger.withLock { $0.restore(charge, at: now) }
        }
    }

    private static func append(
        _ charge: ChargeLedger.Kept?, _ id: Int64, to bytes: inout JournalBytes
    ) {
        var state = LimitState(.slidingWindow)
        if let charge {
            state.moments.insert(charge.moment.milliseconds)
            state.step = UInt16(clamping: charge.repeats)
        }
        let key = LimitKey(limit: number, high: UInt64(bitPattern: id), low: 0)
        LimitRecord.append(state, of: key, to: &bytes)
    }
}

/// The location of a table's journal.
struct LimitJournalPlace: Sendable {
    let folder: String
    let name: String
    var files: any JournalFiles = DiskFiles()
    var logBytes = Journal.logBytesDefault
    /// Is notified whether writes reach the disk; nil without a health report.
    var writes: PartCondition?

    init(folder: String, name: String) {
        self.folder = folder
        self.name = name
    }
}

extension LimitJournalPlace {
    /// Beside a store and with its name: `ratelimit.log.0` beside `ratelimit.sqlite`.
    init(beside store: Store) {
        self.init(folder: store.folder, name: store.name)
        writes = store.writes
    }
}
