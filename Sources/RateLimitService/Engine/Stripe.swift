/// The states of the subjects whose hash begins alike.
///
/// Everything here is for whoever holds the stripe's lock, which is never held while waiting for
/// anything. The lock is not in here: to reach it would be to read the stripe before it is held.
struct Stripe {
    typealias Found = SlotTable.Found

    /// Subjects that may stand here beyond what there is room for: the rest of a batch that began
    /// when there was room, and one cell for each limit.
    private static let reserve = LimitTable.batchMax + TableLayout.limitsMax
    /// A state that needs a block takes the memory of so many that do not.
    private static let smallWeight = 1
    private static let largeWeight = 4

    /// States and cells, in all.
    private let slotsMax: Int
    /// Each limit's class by its number; outlives the stripe.
    private let classes: UnsafePointer<UInt8>
    /// The room that is left of each class, in states; below 0 where the journal held more.
    private var free: InlineArray<3, Int>
    /// Whether somebody takes what has changed.
    let isJournaled: Bool
    var slots: SlotTable
    var small = MomentBlocks(moments: 16)
    var large = MomentBlocks(moments: 64)
    /// What has changed, for the journal.
    var changes = StripeChanges()
    /// When it was last swept, in milliseconds since 1970.
    var sweptAt: Int64 = 0

    /// - Parameter room: in states, by class.
    init(
        room: InlineArray<3, Int>, cells: Int, classes: UnsafePointer<UInt8>, sharedBits: Int,
        isJournaled: Bool
    ) {
        free = room
        slotsMax = room[0] + room[1] + room[2] + cells + Self.reserve
        self.classes = classes
        self.isJournaled = isJournaled
        slots = SlotTable(sharedBits: sharedBits)
    }

    /// Gives the memory back.
    func release() {
        slots.release()
        small.release()
        large.release()
    }

    /// How many subjects stand here.
    var count: Int { slots.count }

    /// Memory taken, in bytes.
    var bytes: Int { slots.bytes + small.bytes + large.bytes }

    /// Whether another subject of a limit may come.
    @inline(__always)
    func hasRoom(for limit: UInt16) -> Bool { free[place(of: limit)] > 0 }

    /// The class of a limit.
    @inline(__always)
    private func place(of limit: UInt16) -> Int {
        Int(classes[min(Int(limit), TableLayout.limitsMax - 1)])
    }

    /// Takes room of the slot's class, or gives it back. Cells take none of their class's: it would
    /// stay full by them.
    @inline(__always)
    private mutating func take(_ weight: Int, for slot: Slot) {
        if slot.low != .max { free[place(of: slot.limit)] -= weight }
    }

    /// Where the key's state stands, or would.
    @inline(__always)
    func find(_ key: LimitKey) -> Found { slots.find(key) }

    /// The state of a slot that is not free.
    @inline(__always)
    func state(in slot: Slot) -> SlotState {
        guard let kind = slot.kind else { fatalError("only states that are known are kept") }
        return SlotState(slot, kind, rest: rest(of: slot))
    }

    /// The slot of a key that was not there, with an empty state.
    /// - Returns: nil when there is no room at all.
    mutating func begin(_ key: LimitKey, _ kind: LimitState.Kind, at found: Found) -> Slot? {
        guard slots.count < slotsMax else { return nil }
        let slot = slots.insert(key, at: found)
        occupy(slot, key, kind)
        return slot
    }

    /// Makes a slot that was free an empty state of that key.
    mutating func occupy(_ slot: Slot, _ key: LimitKey, _ kind: LimitState.Kind) {
        slot.begin(key, kind)
        take(1, for: slot)
    }

    /// Takes or gives back the room of a block.
    mutating func note(_ room: Slot.Room, of slot: Slot, isTaken: Bool) {
        let weight =
            switch room {
            case .slot: 0
            case .smallBlock: Self.smallWeight
            case .largeBlock: Self.largeWeight
            }
        take(isTaken ? weight : -weight, for: slot)
    }

    /// Whether it was told that the limit of a state is reached.
    @inline(__always)
    func isNoted(_ found: Found) -> Bool { found.isThere && slots[found.place].isNoted }

    /// Notes in memory alone that it was told.
    func note(_ found: Found) {
        if found.isThere { slots[found.place].isNoted = true }
    }

    /// Takes a state out.
    mutating func remove(at place: Int) {
        giveBlock(of: slots[place])
        take(-1, for: slots[place])
        slots.remove(at: place)
    }

    /// Drops the states that `isOver` says so of. They need not be written: they are over also for
    /// whoever reads them.
    mutating func sweep(_ isOver: (LimitKey, SlotState) -> Bool) {
        for place in slots.places where !slots[place].isFree {
            let slot = slots[place]
            guard isOver(slot.key, state(in: slot)) else { continue }
            giveBlock(of: slot)
            take(-1, for: slot)
            slot.clear()
        }
        slots.closeGaps()
    }
}
