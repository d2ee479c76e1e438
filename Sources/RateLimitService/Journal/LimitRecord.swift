import Storage

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
        let place = bytes.append(length(state.moments.count))
        guard let start = place.baseAddress else { return }
        // The last moment may fill only half of the last word.
        place.storeBytes(of: 0, toByteOffset: place.count - 8, as: UInt64.self)
        let slot = Slot(start: start)
        slot.begin(key, state.kind)
        var kept = SlotState(slot, state.kind, rest: slot.rest)
        kept.copy(state)
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
    private var place = 0

    /// - Throws: `JournalError.unknownContent` if the bytes are not records of states that this
    ///   version knows.
    init(_ bytes: UnsafeRawBufferPointer) throws(JournalError) {
        self.bytes = bytes
        while place < bytes.count {
            guard let record = record, record.state != nil else { throw .unknownContent }
            place += record.length
        }
        place = 0
    }

    mutating func next() -> LimitRecord? {
        guard place < bytes.count, let record else { return nil }
        place += record.length
        return record
    }

    private var record: LimitRecord? {
        LimitRecord(UnsafeRawBufferPointer(rebasing: bytes[place...]))
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
