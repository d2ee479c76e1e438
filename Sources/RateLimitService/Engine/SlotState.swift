/// A state in place: the slot's own bytes and, with many moments, those of its block. Valid until
/// something moves in its stripe.
struct SlotState: CountedState {
    let slot: Slot
    let kind: LimitState.Kind
    var moments: SlotMoments

    /// - Parameter rest: the moments after the first.
    @inline(__always)
    init(_ slot: Slot, _ kind: LimitState.Kind, rest: UnsafeMutablePointer<UInt32>) {
        self.slot = slot
        self.kind = kind
        moments = SlotMoments(slot: slot, rest: rest)
    }

    var step: UInt16 {
        get { slot.step }
        nonmutating set { slot.step = newValue }
    }

    var failures: UInt16 {
        get { slot.failures }
        nonmutating set { slot.failures = newValue }
    }

    /// Copies another state of this kind; there must be capacity for its moments.
    mutating func copy(_ state: borrowing some CountedState) {
        slot.base = state.moments.base
        slot.count = state.moments.count
        slot.step = state.step
        slot.failures = state.failures
        for place in 1..<max(1, slot.count) {
            moments[offset: place] = state.moments[offset: place]
        }
    }
}

/// A state's moments in place.
struct SlotMoments: MomentList {
    let slot: Slot
    /// The moments after the first.
    let rest: UnsafeMutablePointer<UInt32>

    var base: Int64 {
        get { slot.base }
        nonmutating set { slot.base = newValue }
    }

    var count: Int {
        get { slot.count }
        nonmutating set { slot.count = newValue }
    }

    subscript(offset place: Int) -> UInt32 {
        @inline(__always) get { place == 0 ? 0 : rest[place - 1] }
        @inline(__always) nonmutating set {
            // The first offset is always 0 and is not stored.
            if place > 0 { rest[place - 1] = newValue }
        }
    }
}
