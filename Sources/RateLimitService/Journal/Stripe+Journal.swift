import Storage

/// The journal's operations on a stripe.
extension Stripe {
    /// Records that a state must be written.
    @inline(__always)
    mutating func noteChange(_ slot: Slot) {
        guard isJournaled, !slot.isChanged else { return }
        slot.isChanged = true
        changes.note(slot.key)
    }

    /// Records that a state must be deleted on disk too; called before it is removed.
    mutating func noteEnd(of slot: Slot) {
        if isJournaled { changes.noteEnd(of: slot.key, isMarked: slot.isChanged) }
    }

    /// Appends the changes since the last call.
    mutating func writeChanges(to bytes: inout JournalBytes) {
        let taken = changes
        changes = StripeChanges()
        for key in taken.keys {
            let found = find(key)
            if found.isThere {
                write(slots[found.place], to: &bytes)
            } else {
                LimitRecord.append(LimitState(.ring), of: key, to: &bytes)
            }
        }
        guard taken.areMore else { return }
        for place in slots.places where !slots[place].isFree { write(slots[place], to: &bytes) }
    }

    private func write(_ slot: Slot, to bytes: inout JournalBytes) {
        guard slot.isChanged else { return }
        slot.isChanged = false
        LimitRecord.append(state(in: slot), of: slot.key, to: &bytes)
    }

    /// Visits all states.
    func forEach(_ body: (LimitKey, SlotState) -> Void) {
        for place in slots.places where !slots[place].isFree {
            body(slots[place].key, state(in: slots[place]))
        }
    }

    /// Reserves capacity for this number of states.
    mutating func reserve(_ number: Int) { slots.reserve(number) }

    /// Restores a state from the journal; it need not be written again.
    /// - Parameter isGone: the state no longer counts.
    mutating func restore(_ record: LimitRecord, isGone: Bool) {
        let found = find(record.key)
        guard !isGone, let state = record.state else {
            if found.isThere { remove(at: found.place) }
            return
        }
        if found.isThere {
            overwrite(slots[found.place], with: state)
        } else {
            begin(state, of: record.key, in: slots.insert(record.key, at: found))
        }
    }

    /// Restores a state whose key is greater than all in the stripe.
    /// - Parameter end: the index after the last slot in use.
    mutating func append(_ record: LimitRecord, behind end: inout Int) {
        guard let state = record.state else { return }
        if let slot = slots.append(record.key, behind: &end) {
            begin(state, of: record.key, in: slot)
        } else {
            restore(record, isGone: false)
        }
    }

    private mutating func begin(_ state: SlotState, of key: LimitKey, in slot: Slot) {
        occupy(slot, key, state.kind)
        overwrite(slot, with: state)
    }
}
