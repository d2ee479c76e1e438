/// The states of the subjects whose hash begins alike.
///
/// Everything here is for whoever holds the stripe's lock, which is never held while waiting for
/// anything. The lock is not in here: to reach it would be to read the stripe before it is held.
struct Stripe {
    /// Subjects that may stand here beyond `statesMax`: the rest of a batch that began when there
    /// was room, and one pool for each limit.
    static let reserve = 16 + 64
    /// A state that needs a block takes the memory of so many that do not.
    private static let smallWeight = 1
    private static let largeWeight = 4

    private let statesMax: Int
    /// Whether somebody takes what has changed.
    private let isJournaled: Bool
    private var slots: SlotTable
    private var small = MomentBlocks(moments: 16)
    private var large = MomentBlocks(moments: 64)
    private var changed: [LimitKey] = []
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

    /// Whether something is kept of `key`.
    func holds(_ key: LimitKey) -> Bool { slots.find(key).isThere }

    /// What is kept of `key`.
    func state(of key: LimitKey) -> LimitState? {
        let (place, isThere) = slots.find(key)
        return isThere ? state(in: slots[place]) : nil
    }

    /// Keeps a state, and notes that it has to be written.
    /// - Returns: false when there is no room at all.
    @discardableResult
    mutating func keep(_ state: LimitState, of key: LimitKey) -> Bool {
        let (place, isThere) = slots.find(key)
        guard !state.isEmpty else {
            if isThere { remove(place, key) }
            return true
        }
        guard isThere || slots.count < statesMax + Self.reserve else { return false }
        let slot = isThere ? slots[place] : slots.insert(key)
        write(state, key, in: slot)
        if isJournaled, !slot.isChanged {
            slot.isChanged = true
            changed.append(key)
        }
        return true
    }

    /// Notes in memory alone that it was told that the limit is reached.
    mutating func note(_ key: LimitKey) {
        let (place, isThere) = slots.find(key)
        if isThere { slots[place].isNoted = true }
    }

    /// Drops the states that `isOver` says so of. They need not be written: they are over also for
    /// whoever reads them.
    mutating func sweep(_ isOver: (LimitKey, borrowing LimitState) -> Bool) {
        for place in slots.places where !slots[place].isFree {
            let slot = slots[place]
            guard let state = state(in: slot), isOver(slot.key, state) else { continue }
            freeBlock(of: slot)
            slot.clear()
        }
        slots.closeGaps()
    }
}

// MARK: What the journal asks for

extension Stripe {
    /// Forgets what had changed, and tells it: the keys, some of which may be gone.
    mutating func takeChanged() -> [LimitKey] {
        let keys = changed
        changed = []
        for key in keys {
            let (place, isThere) = slots.find(key)
            if isThere { slots[place].isChanged = false }
        }
        return keys
    }

    /// All that is kept.
    func forEach(_ body: (LimitKey, borrowing LimitState) -> Void) {
        for place in slots.places where !slots[place].isFree {
            guard let state = state(in: slots[place]) else { continue }
            body(slots[place].key, state)
        }
    }

    /// Takes over a state from the journal; it need not be written.
    mutating func restore(_ state: LimitState, of key: LimitKey) {
        let (place, isThere) = slots.find(key)
        if state.isEmpty {
            if isThere { remove(place) }
        } else {
            write(state, key, in: isThere ? slots[place] : slots.insert(key))
        }
    }

    /// Makes room for so many at once.
    mutating func reserve(_ number: Int) { slots.reserve(number) }
}

// MARK: Slots and blocks

extension Stripe {
    private func state(in slot: Slot) -> LimitState? {
        guard var state = slot.header() else { return nil }
        let rest = rest(of: slot)
        for place in 1..<max(1, state.moments.count) {
            state.moments.offsets[place] = rest[place - 1]
        }
        return state
    }

    private mutating func write(_ state: LimitState, _ key: LimitKey, in slot: Slot) {
        let old = slot.isFree ? 0 : slot.count
        if Self.size(old) != Self.size(state.moments.count) {
            if old > 0 { freeBlock(of: slot) }
            slot.write(key, state)
            takeBlock(for: slot)
        } else {
            slot.write(key, state)
        }
        let rest = rest(of: slot)
        for place in 1..<max(1, state.moments.count) {
            rest[place - 1] = state.moments.offsets[place]
        }
    }

    private mutating func remove(_ place: Int, _ key: LimitKey) {
        // One that had changed is on the list already.
        if isJournaled, !slots[place].isChanged { changed.append(key) }
        remove(place)
    }

    private mutating func remove(_ place: Int) {
        freeBlock(of: slots[place])
        slots.remove(at: place)
    }

    private enum Size { case slot, small, large }

    private static func size(_ moments: Int) -> Size {
        moments <= Slot.momentsMax ? .slot : moments <= 17 ? .small : .large
    }

    private func rest(of slot: Slot) -> UnsafeMutablePointer<UInt32> {
        switch Self.size(slot.count) {
        case .slot: slot.rest
        case .small: small[slot.rest[0]]
        case .large: large[slot.rest[0]]
        }
    }

    private mutating func takeBlock(for slot: Slot) {
        switch Self.size(slot.count) {
        case .slot: break
        case .small: slot.rest[0] = small.take()
        case .large: slot.rest[0] = large.take()
        }
    }

    private mutating func freeBlock(of slot: Slot) {
        switch Self.size(slot.count) {
        case .slot: break
        case .small: small.give(slot.rest[0])
        case .large: large.give(slot.rest[0])
        }
    }
}
