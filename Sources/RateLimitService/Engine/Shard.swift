import Contracts

/// The states of the subjects whose hash has the same first bits.
///
/// All members require the shard's lock, which is never held during I/O. The lock is stored
/// elsewhere: reaching a lock in here would read the shard before the lock is held.
struct Shard {
    typealias Found = SlotTable.Found

    /// Subjects that a shard may hold beyond its capacity: the rest of a batch that started when
    /// there was capacity, and one bucket for each limit.
    private static let reserve = LimitTable.batchMax + TableLayout.limitsMax
    /// A state with a block uses the memory of this many more states without one.
    private static let smallWeight = 1
    private static let largeWeight = 4

    /// The largest number of states and shared buckets.
    private let slotsMax: Int
    /// Each limit's class by its number; outlives the shard.
    private let classes: UnsafePointer<UInt8>
    /// The capacity that is left in each class, in states; negative if the journal contained more.
    private var free: InlineArray<3, Int>
    /// Whether a journal takes the changes.
    let isJournaled: Bool
    var slots: SlotTable
    var small = MomentBlocks(moments: 16)
    var large = MomentBlocks(moments: 64)
    /// The changes for the journal.
    var changes = ShardChanges()
    /// The time of the last sweep, in milliseconds since 1970.
    var sweptAt: Int64 = 0

    /// - Parameter capacity: capacity in states, by class.
    init(
        capacity: InlineArray<3, Int>, buckets: Int, classes: UnsafePointer<UInt8>, sharedBits: Int,
        isJournaled: Bool
    ) {
        free = capacity
        slotsMax = capacity[0] + capacity[1] + capacity[2] + buckets + Self.reserve
        self.classes = classes
        self.isJournaled = isJournaled
        slots = SlotTable(sharedBits: sharedBits)
    }

    /// Frees the memory.
    func release() {
        slots.release()
        small.release()
        large.release()
    }

    /// The number of subjects.
    var count: Int { slots.count }

    /// Memory used, in bytes.
    var bytes: Int { slots.bytes + small.bytes + large.bytes }

    /// Whether there is capacity for another subject of a limit.
    @inline(__always)
    func hasCapacity(for limit: UInt16) -> Bool { free[classIndex(of: limit)] > 0 }

    /// The class of a limit.
    @inline(__always)
    private func classIndex(of limit: UInt16) -> Int {
        Int(classes[min(Int(limit), TableLayout.limitsMax - 1)])
    }

    /// Takes capacity of the slot's class, or returns it if `weight` is negative. Shared buckets
    /// take none: they would keep their class full.
    @inline(__always)
    private mutating func take(_ weight: Int, for slot: Slot) {
        if slot.low != .max { free[classIndex(of: slot.limit)] -= weight }
    }

    /// The index of the key's state, or the index where it would be inserted.
    @inline(__always)
    func find(_ key: LimitKey) -> Found { slots.find(key) }

    /// The state of a slot that is in use.
    @inline(__always)
    func state(in slot: Slot) -> SlotState {
        guard let kind = slot.kind else { fatalError("only states that are known are stored") }
        return SlotState(slot, kind, rest: rest(of: slot))
    }

    /// Inserts an empty state for a key that is not in the shard.
    /// - Returns: nil if there is no capacity at all.
    mutating func begin(_ key: LimitKey, _ kind: LimitState.Kind, at found: Found) -> Slot? {
        guard slots.count < slotsMax else { return nil }
        let slot = slots.insert(key, at: found)
        occupy(slot, key, kind)
        return slot
    }

    /// Makes a free slot an empty state of that key.
    mutating func occupy(_ slot: Slot, _ key: LimitKey, _ kind: LimitState.Kind) {
        slot.begin(key, kind)
        take(1, for: slot)
    }

    /// Takes the capacity of a block, or returns it.
    mutating func count(_ layout: Slot.Layout, of slot: Slot, isTaken: Bool) {
        let weight =
            switch layout {
            case .slot: 0
            case .smallBlock: Self.smallWeight
            case .largeBlock: Self.largeWeight
            }
        take(isTaken ? weight : -weight, for: slot)
    }

    /// Whether the limit of a state has been reported as reached.
    @inline(__always)
    func isReported(_ found: Found) -> Bool { found.exists && slots[found.slotIndex].isReported }

    /// Records, in memory only, that it was reported.
    func markReported(_ found: Found) {
        if found.exists { slots[found.slotIndex].isReported = true }
    }

    /// Removes a state.
    mutating func remove(at slotIndex: Int) {
        giveBlock(of: slots[slotIndex])
        take(-1, for: slots[slotIndex])
        slots.remove(at: slotIndex)
    }

    /// Drops the states for which `isExpired` returns true. They need not be written: a program
    /// that restores them drops them too.
    mutating func sweep(_ isExpired: (LimitKey, SlotState) -> Bool) {
        for slotIndex in slots.slotIndices where !slots[slotIndex].isFree {
            let slot = slots[slotIndex]
            guard isExpired(slot.key, state(in: slot)) else { continue }
            giveBlock(of: slot)
            take(-1, for: slot)
            slot.clear()
        }
        slots.closeGaps()
    }
}

/// Where the moments of a state are stored: in its slot, or in a block if there are more.
extension Shard {
    @inline(__always)
    func rest(of slot: Slot) -> UnsafeMutablePointer<UInt32> {
        switch slot.layout {
        case .slot: slot.rest
        case .smallBlock: small[slot.rest[0]]
        case .largeBlock: large[slot.rest[0]]
        }
    }

    /// Makes capacity for this number of moments, up to the maximum of a state.
    @inline(__always)
    mutating func widen(_ slot: Slot, for moments: Int) {
        if moments > slot.layout.moments { move(slot, to: Slot.Layout(for: moments)) }
    }

    /// Frees capacity that is no longer needed.
    @inline(__always)
    mutating func narrow(_ slot: Slot) {
        guard slot.layout != .slot else { return }
        let needed = Slot.Layout(for: slot.count)
        if needed.rawValue < slot.layout.rawValue { move(slot, to: needed) }
    }

    /// Frees a slot's block, before the slot is freed or reused.
    mutating func giveBlock(of slot: Slot) {
        switch slot.layout {
        case .slot: break
        case .smallBlock: small.give(slot.rest[0])
        case .largeBlock: large.give(slot.rest[0])
        }
        count(slot.layout, of: slot, isTaken: false)
        slot.layout = .slot
    }

    private mutating func move(_ slot: Slot, to layout: Slot.Layout) {
        let moments = Moments(state(in: slot).moments)
        giveBlock(of: slot)
        switch layout {
        case .slot: break
        case .smallBlock: slot.rest[0] = small.take()
        case .largeBlock: slot.rest[0] = large.take()
        }
        slot.layout = layout
        count(layout, of: slot, isTaken: true)
        let rest = rest(of: slot)
        for index in 1..<max(1, moments.count) { rest[index - 1] = moments[offset: index] }
    }
}
