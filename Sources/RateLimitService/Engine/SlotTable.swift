/// A flat table of slots in the order of their keys, with gaps. A key's home is its hash scaled to
/// the table's length. Its slot is there or a little after it, behind all smaller keys.
///
/// This is linear probing with Robin Hood hashing, where the home grows with the hash. A search
/// ends early at a load of nine tenths. The table grows by an eighth at a time, in one pass over
/// memory without searches. Removed keys need no markers.
struct SlotTable {
    /// The smallest number of homes. The table grows by an eighth when nine tenths are full, so a
    /// slot of 48 bytes costs 54 to 61 bytes a key.
    private static let slotsMin = 64
    /// Bits of the hash that are the same in the whole table.
    private let sharedBits: UInt64
    private var memory: PageMemory
    /// Homes. Some more slots follow them, for keys that are pushed past the end.
    private var homes: Int
    private var total: Int
    /// Slots in use.
    private(set) var count = 0

    init(sharedBits: Int) {
        self.sharedBits = UInt64(sharedBits)
        homes = Self.slotsMin
        total = Self.total(homes)
        memory = PageMemory(total * Slot.bytes)
    }

    /// Frees the memory.
    func release() { memory.release() }

    /// Memory used, in bytes.
    var bytes: Int { memory.count }

    /// All indices, including free slots.
    var slotIndices: Range<Int> { 0..<total }

    subscript(slotIndex: Int) -> Slot { Slot(start: memory.start + slotIndex * Slot.bytes) }

    /// The index of a key, or the index where it would be inserted.
    struct Found {
        let slotIndex: Int
        let exists: Bool
    }

    /// The index of the key, or the index where it would be inserted; valid until something moves.
    @inline(__always)
    func find(_ key: LimitKey) -> Found {
        var slotIndex = home(key.high)
        while true {
            let slot = self[slotIndex]
            if slot.isFree { return Found(slotIndex: slotIndex, exists: false) }
            if !slot.isBefore(key) { return Found(slotIndex: slotIndex, exists: slot.holds(key)) }
            slotIndex += 1
        }
    }

    /// A free slot for a key that is not in the table and belongs at `found`; the caller writes it
    /// immediately.
    mutating func insert(_ key: LimitKey, at found: Found) -> Slot {
        guard count < homes / 10 * 9, let slot = makeWay(at: found.slotIndex) else {
            grow(to: homes + homes / 8)
            return insert(key, at: find(key))
        }
        return slot
    }

    /// Moves the slots from that index on by one. Nil if that would use the last slot, which stays
    /// free so that every search ends.
    private mutating func makeWay(at slotIndex: Int) -> Slot? {
        var end = slotIndex
        while !self[end].isFree { end += 1 }
        guard end < total - 1 else { return nil }
        let slot = self[slotIndex]
        (slot.start + Slot.bytes).copyMemory(
            from: slot.start, byteCount: (end - slotIndex) * Slot.bytes)
        slot.clear()
        count += 1
        return slot
    }

    /// A free slot behind all others, for a key greater than all in the table; the caller writes it
    /// immediately.
    /// - Parameter next: the index after the last slot in use; 0 at first. After an `insert` it is
    ///   no longer accurate; a slot that is in use is not overwritten.
    /// - Returns: nil if there is no free slot there.
    mutating func append(_ key: LimitKey, behind next: inout Int) -> Slot? {
        let slotIndex = max(home(key.high), next)
        guard count < homes / 10 * 9, slotIndex < total - 1, self[slotIndex].isFree else {
            return nil
        }
        count += 1
        next = slotIndex + 1
        return self[slotIndex]
    }

    /// Removes a slot; the slots behind it that are not at home move up.
    mutating func remove(at slotIndex: Int) {
        var end = slotIndex + 1
        while !self[end].isFree, home(self[end].high) < end { end += 1 }
        self[slotIndex].start.copyMemory(
            from: self[slotIndex].start + Slot.bytes, byteCount: (end - slotIndex - 1) * Slot.bytes)
        self[end - 1].clear()
        count -= 1
    }

    /// After slots were cleared, moves up the slots that are not at home, in one pass.
    mutating func closeGaps() {
        var next = 0
        count = 0
        for slotIndex in slotIndices where !self[slotIndex].isFree {
            let slot = self[slotIndex]
            count += 1
            let target = max(home(slot.high), next)
            next = target + 1
            guard target != slotIndex else { continue }
            self[target].start.copyMemory(from: slot.start, byteCount: Slot.bytes)
            slot.clear()
        }
    }

    /// Reserves capacity for this number of keys, plus a twentieth before the table has to grow.
    mutating func reserve(_ number: Int) {
        let needed = number / 17 * 20 + 40
        if needed > homes { grow(to: needed) }
    }

    private mutating func grow(to wanted: Int) {
        var larger = wanted
        while !move(to: larger) { larger += larger / 8 }
    }

    /// Moves to a table with this number of homes; returns false if the last keys do not fit.
    private mutating func move(to wanted: Int) -> Bool {
        var moved = SlotTable(self, homes: wanted)
        var next = 0
        for slotIndex in slotIndices where !self[slotIndex].isFree {
            let target = max(moved.home(self[slotIndex].high), next)
            guard target < moved.total - 1 else {
                moved.release()
                return false
            }
            moved[target].start.copyMemory(from: self[slotIndex].start, byteCount: Slot.bytes)
            next = target + 1
        }
        moved.count = count
        release()
        self = moved
        return true
    }

    /// Creates an empty table with the same shared bits as another one.
    private init(_ other: SlotTable, homes: Int) {
        sharedBits = other.sharedBits
        self.homes = homes
        total = Self.total(homes)
        memory = PageMemory(total * Slot.bytes)
    }

    private static func total(_ homes: Int) -> Int { homes + homes / 64 + slotsMin }

    @inline(__always)
    private func home(_ high: UInt64) -> Int {
        Int((high &<< sharedBits).multipliedFullWidth(by: UInt64(homes)).high)
    }
}
