/// The states of the subjects whose hash begins alike.
///
/// Everything here is for whoever holds the stripe's lock, which is never held while waiting for
/// anything. The lock is not in here: to reach it would be to read the stripe before it is held.
struct Stripe {
    typealias Found = SlotTable.Found

    /// Subjects that may stand here beyond `statesMax`: the rest of a batch that began when there
    /// was room, and one pool for each limit.
    static let reserve = 16 + 64
    /// A state that needs a block takes the memory of so many that do not.
    private static let smallWeight = 1
    private static let largeWeight = 4

    private let statesMax: Int
    /// Whether somebody takes what has changed.
    let isJournaled: Bool
    var slots: SlotTable
    var small = MomentBlocks(moments: 16)
    var large = MomentBlocks(moments: 64)
    /// What has changed, for the journal.
    var changes = StripeChanges()
    /// When it was last swept, in milliseconds since 1970.
    var sweptAt: Int64 = 0

    init(statesMax: Int, sharedBits: Int, isJournaled: Bool) {
        self.statesMax = statesMax
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

    /// Whether another subject may come.
    var hasRoom: Bool {
        slots.count + small.count * Self.smallWeight + large.count * Self.largeWeight < statesMax
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
        guard slots.count < statesMax + Self.reserve else { return nil }
        let slot = slots.insert(key, at: found)
        slot.begin(key, kind)
        return slot
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
        slots.remove(at: place)
    }

    /// Drops the states that `isOver` says so of. They need not be written: they are over also for
    /// whoever reads them.
    mutating func sweep(_ isOver: (LimitKey, SlotState) -> Bool) {
        for place in slots.places where !slots[place].isFree {
            let slot = slots[place]
            guard isOver(slot.key, state(in: slot)) else { continue }
            giveBlock(of: slot)
            slot.clear()
        }
        slots.closeGaps()
    }
}
