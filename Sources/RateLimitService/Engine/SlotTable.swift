/// A flat table of slots in the order of their keys, with gaps: a key's home is its hash as a part
/// of the table's length, and it stands there or a little behind, after all smaller ones.
///
/// That order is what linear probing with Robin Hood's rule comes to when the home grows with the
/// hash. It lets a search stop early at a load of nine tenths, it lets the table grow by an eighth
/// at a time, in one pass over memory without a search, and it needs no marks for removed keys.
struct SlotTable {
    /// An eighth at a time, at nine tenths full: 48 bytes take 54 to 61.
    private static let slotsMin = 64
    /// Bits of the hash that are the same for the whole table.
    private let sharedBits: UInt64
    private var memory: PageMemory
    /// Homes; behind them are some slots more for keys that are pushed over the end.
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

    /// Gives the memory back.
    func release() { memory.release() }

    /// Memory taken, in bytes.
    var bytes: Int { memory.count }

    /// All places, free ones too.
    var places: Range<Int> { 0..<total }

    subscript(place: Int) -> Slot { Slot(start: memory.start + place * Slot.bytes) }

    /// Where a key stands, or would.
    struct Found {
        let place: Int
        let isThere: Bool
    }

    /// Where the key stands, or would; good until anything moves.
    @inline(__always)
    func find(_ key: LimitKey) -> Found {
        var place = home(key.high)
        while true {
            let slot = self[place]
            if slot.isFree { return Found(place: place, isThere: false) }
            if !slot.isBefore(key) { return Found(place: place, isThere: slot.holds(key)) }
            place += 1
        }
    }

    /// A free slot for a key that is not there, and would stand at `found`; the caller writes it
    /// at once.
    mutating func insert(_ key: LimitKey, at found: Found) -> Slot {
        guard count < homes / 10 * 9, let slot = makeWay(at: found.place) else {
            grow(to: homes + homes / 8)
            return insert(key, at: find(key))
        }
        return slot
    }

    /// Moves what stands there and behind up by one; nil where the last slot would be taken, which
    /// stays free, so that every search ends.
    private mutating func makeWay(at place: Int) -> Slot? {
        var end = place
        while !self[end].isFree { end += 1 }
        guard end < total - 1 else { return nil }
        let slot = self[place]
        (slot.start + Slot.bytes).copyMemory(
            from: slot.start, byteCount: (end - place) * Slot.bytes)
        slot.clear()
        count += 1
        return slot
    }

    /// A free slot behind all others, for a key greater than all that are there; the caller writes
    /// it at once.
    /// - Parameter next: the place behind the last slot in use; 0 at first. Once a key has been put
    ///   in by `insert` that is not known any more, and a slot that is taken stays as it is.
    /// - Returns: nil where there is no room behind them.
    mutating func append(_ key: LimitKey, behind next: inout Int) -> Slot? {
        let place = max(home(key.high), next)
        guard count < homes / 10 * 9, place < total - 1, self[place].isFree else { return nil }
        count += 1
        next = place + 1
        return self[place]
    }

    /// Takes a slot out; those behind it that are not at home move up.
    mutating func remove(at place: Int) {
        var end = place + 1
        while !self[end].isFree, home(self[end].high) < end { end += 1 }
        self[place].start.copyMemory(
            from: self[place].start + Slot.bytes, byteCount: (end - place - 1) * Slot.bytes)
        self[end - 1].clear()
        count -= 1
    }

    /// Moves up those that are not at home, after slots were cleared, in one pass.
    mutating func closeGaps() {
        var next = 0
        count = 0
        for place in places where !self[place].isFree {
            let slot = self[place]
            count += 1
            let target = max(home(slot.high), next)
            next = target + 1
            guard target != place else { continue }
            self[target].start.copyMemory(from: slot.start, byteCount: Slot.bytes)
            slot.clear()
        }
    }

    /// Makes room for so many at once, and for a twentieth more before it has to grow.
    mutating func reserve(_ number: Int) {
        let needed = number / 17 * 20 + 40
        if needed > homes { grow(to: needed) }
    }

    private mutating func grow(to wanted: Int) {
        var larger = wanted
        while !move(to: larger) { larger += larger / 8 }
    }

    /// Moves to a table of so many homes; false when the last ones do not fit.
    private mutating func move(to wanted: Int) -> Bool {
        var moved = SlotTable(self, homes: wanted)
        var next = 0
        for place in places where !self[place].isFree {
            let target = max(moved.home(self[place].high), next)
            guard target < moved.total - 1 else {
                moved.release()
                return false
            }
            moved[target].start.copyMemory(from: self[place].start, byteCount: Slot.bytes)
            next = target + 1
        }
        moved.count = count
        release()
        self = moved
        return true
    }

    /// An empty one beside another.
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
