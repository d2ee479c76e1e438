import Contracts
import ServiceRuntime
import Storage
import Synchronization

/// The content of a table's journal: the shards' states; the charges under idempotency keys
/// (`ChargeLedger`), so that a retry is not charged again after a restart; and the charges of
/// guesses that are settled later (`UnsettledGuesses`), so that they can be after a restart.
///
/// A charge is written after the states, in the format of a state (`LimitRecord`), with a limit
/// number that no limit has. A version that does not know charges keeps it as a state of an unknown
/// limit.
///
/// A call decides and records its charge under the ledger's lock, and the ledger is read after the
/// shards. So a frame that contains the states changed by a call contains its charge too. In the
/// other order, a crash could keep the states and lose the idempotency key. A refund removes the
/// charge before it changes the states, so no frame has the states without the removal: a charge is
/// not refunded twice.
final class LimitJournalSource: JournalSource {
    /// The limit number of a record that is a charge under an idempotency key.
    static let chargeLimitNumber = UInt16.max
    /// The limit number of a record that is the charge of a guess.
    static let guessLimitNumber = UInt16.max - 1

    /// Whether a record is a charge.
    static func isCharge(_ key: LimitKey) -> Bool { key.limit >= guessLimitNumber }

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
        for (id, guess) in ledger.withLock({ $0.guesses.takeChanges() }) {
            Self.append(guess, id, to: &bytes)
        }
        return false
    }

    func copyPart(_ part: Int, into bytes: inout JournalBytes) {
        guard part == shards.journalParts else { return shards.copyPart(part, into: &bytes) }
        for charge in ledger.withLock({ $0.storedCharges }) {
            Self.append(charge, charge.id, to: &bytes)
        }
        for (id, guess) in ledger.withLock({ $0.guesses.stored }) {
            Self.append(guess, id, to: &bytes)
        }
    }

    func restorePart(_ bytes: UnsafeRawBufferPointer) throws {
        guard let record = LimitRecord(bytes), Self.isCharge(record.key) else {
            return try shards.restorePart(bytes)
        }
        try restoreCharges(bytes)
    }

    func restoreChanges(_ bytes: UnsafeRawBufferPointer, thread: Int, of threads: Int) throws {
        try shards.restoreChanges(bytes, thread: thread, of: threads)
        if thread == 0 { try restoreCharges(bytes) }
    }

    private func restoreCharges(_ bytes: UnsafeRawBufferPointer) throws {
        let now = Timestamp(milliseconds: shards.startedAt)
        for record in try LimitRecords(bytes) where Self.isCharge(record.key) {
            let id = Int64(bitPattern: record.key.high)
            if record.key.limit == Self.guessLimitNumber {
                let guess = UnsettledGuesses.Guess(record)
                ledger.withLock { $0.guesses.restore(id, guess, at: now) }
                continue
            }
            guard !record.isEmpty, let state = record.state else {
                ledger.withLock { $0.restoreEnd(of: id) }
                continue
            }
            let charge = ChargeLedger.StoredCharge(
                id: id, moment: Timestamp(milliseconds: state.moments.base),
                repeats: Int(state.step))
            ledger.withLock { $0.restore(charge, at: now) }
        }
    }

    private static func append(
        _ charge: ChargeLedger.StoredCharge?, _ id: Int64, to bytes: inout JournalBytes
    ) {
        var state = LimitState(.slidingWindow)
        if let charge {
            state.moments.insert(charge.moment.milliseconds)
            state.step = UInt16(clamping: charge.repeats)
        }
        let key = LimitKey(limit: chargeLimitNumber, high: UInt64(bitPattern: id), low: 0)
        LimitRecord.append(state, of: key, to: &bytes)
    }

    private static func append(
        _ guess: UnsettledGuesses.Guess?, _ id: Int64, to bytes: inout JournalBytes
    ) {
        let key = LimitKey(limit: guessLimitNumber, high: UInt64(bitPattern: id), low: 0)
        LimitRecord.append(guess?.state ?? LimitState(.slidingWindow), of: key, to: &bytes)
    }
}

/// The form of a guess's charge in the journal: its moment, and behind it the words of its keys in
/// place of further moments, the lane first.
extension UnsettledGuesses.Guess {
    private static let wordsOfKey = 5

    /// A charge as the journal stores it.
    fileprivate var state: LimitState {
        var state = LimitState(.slidingWindow)
        state.moments.insert(moment.milliseconds)
        let keysMax = (LimitRule.momentsMax - 1) / Self.wordsOfKey
        for word in ([lane] + keys).prefix(keysMax).flatMap(Self.words) {
            state.moments.count += 1
            state.moments[offset: state.moments.count - 1] = word
        }
        return state
    }

    /// Reads a record; nil for one that was removed.
    fileprivate init?(_ record: LimitRecord) {
        guard !record.isEmpty, let moments = record.state?.moments else { return nil }
        var keys = stride(from: 1, to: moments.count, by: Self.wordsOfKey).compactMap { start in
            Self.key(
                (start..<min(start + Self.wordsOfKey, moments.count)).map { moments[offset: $0] })
        }
        guard !keys.isEmpty else { return nil }
        lane = keys.removeFirst()
        self.keys = keys
        moment = Timestamp(milliseconds: moments.base)
    }

    private static func words(of key: LimitKey) -> [UInt32] {
        [UInt32(key.limit)]
            + [key.high, key.low].flatMap {
                [UInt32(truncatingIfNeeded: $0 >> 32), UInt32(truncatingIfNeeded: $0)]
            }
    }

    private static func key(_ words: [UInt32]) -> LimitKey? {
        guard words.count == wordsOfKey, let limit = UInt16(exactly: words[0]) else { return nil }
        return LimitKey(
            limit: limit, high: UInt64(words[1]) << 32 | UInt64(words[2]),
            low: UInt64(words[3]) << 32 | UInt64(words[4]))
    }
}

/// The location of a table's journal.
struct LimitJournalLocation: Sendable {
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

    /// Beside a store and with its name: `ratelimit.log.0` beside `ratelimit.sqlite`.
    /// - Parameter suffix: follows the store's name: `ratelimit-devices.log.0`.
    init(beside store: Store, suffix: String = "", writes: PartCondition) {
        self.init(folder: store.folder, name: store.name + suffix)
        self.writes = writes
    }
}

/// A state as it is stored in the journal: the bytes of a slot, then all moments after the first,
/// padded to a multiple of 8. A state without moments means that the subject was deleted.
struct LimitRecord {
    let key: LimitKey
    /// Whether the record means that the subject was deleted.
    let isEmpty: Bool
    /// Read in place; nil for a kind that this version does not know.
    let state: SlotState?
    /// The record's length in bytes.
    let length: Int

    /// The length in bytes of a state with this number of moments.
    static func length(_ moments: Int) -> Int {
        Slot.headerBytes + (max(0, moments - 1) * 4 + 7) / 8 * 8
    }

    /// Appends a state.
    static func append(
        _ state: borrowing some CountedState, of key: LimitKey, to bytes: inout JournalBytes
    ) {
        let record = bytes.append(length(state.moments.count))
        guard let start = record.baseAddress else { return }
        // The last moment may fill only half of the last word.
        record.storeBytes(of: 0, toByteOffset: record.count - 8, as: UInt64.self)
        let slot = Slot(start: start)
        slot.begin(key, state.kind)
        var stored = SlotState(slot, state.kind, rest: slot.rest)
        stored.copy(state)
    }

    /// Reads the record at the start of `bytes`, whose address is a multiple of 8; nil if there is
    /// no valid record.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Slot.headerBytes, let start = bytes.baseAddress else { return nil }
        // The slot is only read here.
        let slot = Slot(start: UnsafeMutableRawPointer(mutating: start))
        let count = slot.count
        length = Self.length(count)
        guard count <= LimitRule.momentsMax, length <= bytes.count else { return nil }
        key = slot.key
        isEmpty = count == 0
        state = slot.kind.map { SlotState(slot, $0, rest: slot.rest) }
    }
}

/// A sequence of records in one frame of the journal.
struct LimitRecords: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private var byteOffset = 0

    /// - Throws: `JournalError.unknownContent` if the bytes are not records of states that this
    ///   version knows.
    init(_ bytes: UnsafeRawBufferPointer) throws(JournalError) {
        self.bytes = bytes
        while byteOffset < bytes.count {
            guard let record = record, record.state != nil else { throw .unknownContent }
            byteOffset += record.length
        }
        byteOffset = 0
    }

    mutating func next() -> LimitRecord? {
        guard byteOffset < bytes.count, let record else { return nil }
        byteOffset += record.length
        return record
    }

    private var record: LimitRecord? {
        LimitRecord(UnsafeRawBufferPointer(rebasing: bytes[byteOffset...]))
    }

    /// The number of records if their keys ascend; else nil.
    var ascending: Int? {
        var count = 0
        var last: LimitKey?
        for record in self {
            if let last, !last.isBefore(record.key) { return nil }
            last = record.key
            count += 1
        }
        return count
    }
}
