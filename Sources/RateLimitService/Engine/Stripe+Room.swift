/// Where the moments of a state are stored: in its slot, or in a block if there are more.
extension Stripe {
    @inline(__always)
    func rest(of slot: Slot) -> UnsafeMutablePointer<UInt32> {
        switch slot.room {
        case .slot: slot.rest
        case .smallBlock: small[slot.rest[0]]
        case .largeBlock: large[slot.rest[0]]
        }
    }

    /// Makes capacity for this number of moments, up to the maximum of a state.
    @inline(__always)
    mutating func widen(_ slot: Slot, for moments: Int) {
        if moments > slot.room.moments { move(slot, to: Slot.Room(for: moments)) }
    }

    /// Frees capacity that is no longer needed.
    @inline(__always)
    mutating func narrow(_ slot: Slot) {
        guard slot.room != .slot else { return }
        let needed = Slot.Room(for: slot.count)
        if needed.rawValue < slot.room.rawValue { move(slot, to: needed) }
    }

    /// Frees a slot's block, before the slot is freed or reused.
    mutating func giveBlock(of slot: Slot) {
        switch slot.room {
        case .slot: break
        case .smallBlock: small.give(slot.rest[0])
        case .largeBlock: large.give(slot.rest[0])
        }
        note(slot.room, of: slot, isTaken: false)
        slot.room = .slot
    }

    private mutating func move(_ slot: Slot, to room: Slot.Room) {
        let moments = Moments(state(in: slot).moments)
        giveBlock(of: slot)
        switch room {
        case .slot: break
        case .smallBlock: slot.rest[0] = small.take()
        case .largeBlock: slot.rest[0] = large.take()
        }
        slot.room = room
        note(room, of: slot, isTaken: true)
        let rest = rest(of: slot)
        for place in 1..<max(1, moments.count) { rest[place - 1] = moments[offset: place] }
    }
}
