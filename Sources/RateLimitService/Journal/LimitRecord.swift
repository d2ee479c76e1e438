import Storage

/// A state as it stands in the journal: the bytes of a slot, then all moments after the first,
/// filled up to a multiple of 8. A state without moments says that the subject is forgotten.
struct LimitRecord {
    let key: LimitKey
    /// Nil for a kind that this version does not know.
    let state: LimitState?
    /// The record's length in bytes.
    let length: Int

    /// The bytes that a state takes.
    static func length(_ moments: Int) -> Int {
        Slot.headerBytes + (max(0, moments - 1) * 4 + 7) / 8 * 8
    }

    /// Appends a state.
    static func append(
        _ state: borrowing LimitState, of key: LimitKey, to bytes: inout JournalBytes
    ) {
        let place = bytes.append(length(state.moments.count))
        guard let start = place.baseAddress else { return }
        place.initializeMemory(as: UInt8.self, repeating: 0)
        let slot = Slot(start: start)
        slot.write(key, state)
        slot.isNoted = false
        for moment in 1..<max(1, state.moments.count) {
            slot.rest[moment - 1] = state.moments.offsets[moment]
        }
    }

    /// Reads the record at the beginning of `bytes`; nil when that is none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Slot.headerBytes, let start = bytes.baseAddress else { return nil }
        // A slot is only read here.
        let slot = Slot(start: UnsafeMutableRawPointer(mutating: start))
        length = Self.length(slot.count)
        guard slot.count <= LimitRule.momentsMax, length <= bytes.count else { return nil }
        key = slot.key
        guard var state = slot.header() else {
            self.state = nil
            return
        }
        for moment in 1..<max(1, slot.count) {
            state.moments.offsets[moment] = slot.rest[moment - 1]
        }
        self.state = state
    }
}
