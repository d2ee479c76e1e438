import Storage

/// A state as it stands in the journal: the bytes of a slot, then all moments after the first,
/// filled up to a multiple of 8. A state without moments says that the subject is forgotten.
struct LimitRecord {
    let key: LimitKey
    /// Whether it says that the subject is forgotten.
    let isEmpty: Bool
    /// Read in place; nil for a kind that this version does not know.
    let state: SlotState?
    /// The record's length in bytes.
    let length: Int

    /// The bytes that a state takes.
    static func length(_ moments: Int) -> Int {
        Slot.headerBytes + (max(0, moments - 1) * 4 + 7) / 8 * 8
    }

    /// Appends a state.
    static func append(
        _ state: borrowing some CountedState, of key: LimitKey, to bytes: inout JournalBytes
    ) {
        let place = bytes.append(length(state.moments.count))
        guard let start = place.baseAddress else { return }
        // The last moment may leave half a word behind it.
        place.storeBytes(of: 0, toByteOffset: place.count - 8, as: UInt64.self)
        let slot = Slot(start: start)
        slot.begin(key, state.kind)
        var kept = SlotState(slot, state.kind, rest: slot.rest)
        kept.copy(state)
    }

    /// Reads the record at the beginning of `bytes`, whose start is a multiple of 8; nil when that
    /// is none.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Slot.headerBytes, let start = bytes.baseAddress else { return nil }
        // A slot is only read here.
        let slot = Slot(start: UnsafeMutableRawPointer(mutating: start))
        let count = slot.count
        length = Self.length(count)
        guard count <= LimitRule.momentsMax, length <= bytes.count else { return nil }
        key = slot.key
        isEmpty = count == 0
        state = slot.kind.map { SlotState(slot, $0, rest: slot.rest) }
    }
}
