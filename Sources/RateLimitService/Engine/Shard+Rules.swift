/// Applies rules to the states of a shard, in place.
extension Shard {
    /// The answer that a charge would get. Changes nothing. It is `mutating` because the compiler
    /// would otherwise copy the shard for the call.
    @inline(__always)
    mutating func answer(
        _ rule: borrowing CountingRule, of amount: Int, at found: Found, _ now: Int64
    ) -> LimitAnswer {
        guard found.exists else { return rule.answer(LimitState(rule.kind), of: amount, at: now) }
        let state = state(in: slots[found.slotIndex])
        if state.kind == rule.kind { return rule.answer(state, of: amount, at: now) }
        return rule.answer(rule.adopt(state, at: now), of: amount, at: now)
    }

    /// Records a charge that was allowed.
    /// - Returns: false if there is no capacity at all.
    @inline(__always)
    mutating func charge(
        _ rule: borrowing CountingRule, of amount: Int, _ key: LimitKey, at found: Found,
        _ now: Int64
    ) -> Bool {
        let occupied = found.exists ? slots[found.slotIndex] : begin(key, rule.kind, at: found)
        guard let slot = occupied else { return false }
        adopt(slot, rule, now)
        var state = state(in: slot)
        rule.prune(&state, at: now)
        let needed = slot.count + rule.moments(of: amount)
        if needed > slot.layout.moments {
            widen(slot, for: needed)
            state = self.state(in: slot)
        }
        rule.charge(&state, of: amount, at: now)
        narrow(slot)
        slot.isReported = false
        recordChange(slot)
        return true
    }

    /// A right guess was made.
    mutating func succeed(_ rule: CountingRule, at found: Found, _ now: Int64) {
        change(rule, at: found, now) { rule.succeed(&$0) }
    }

    /// Whether a charge of that moment and amount may be in the state and still count.
    func mayHold(
        _ rule: CountingRule, _ moment: Int64, _ amount: Int, at found: Found, _ now: Int64
    ) -> Bool {
        guard found.exists else { return false }
        let state = rule.adopt(state(in: slots[found.slotIndex]), at: now)
        return rule.mayHold(state, moment, amount, at: now)
    }

    /// Refunds a charge of that moment and amount.
    mutating func refund(
        _ rule: CountingRule, of moment: Int64, _ amount: Int, at found: Found, _ now: Int64
    ) {
        change(rule, at: found, now) { state in
            rule.refund(&state, of: moment, amount, at: now)
            state.slot.isReported = false
        }
    }

    /// Deletes the subject's state.
    mutating func forget(at found: Found) {
        guard found.exists else { return }
        recordRemoval(of: slots[found.slotIndex])
        remove(at: found.slotIndex)
    }

    private mutating func change(
        _ rule: CountingRule, at found: Found, _ now: Int64, _ body: (inout SlotState) -> Void
    ) {
        guard found.exists else { return }
        let slot = slots[found.slotIndex]
        adopt(slot, rule, now)
        var state = state(in: slot)
        body(&state)
        guard !state.isEmpty else {
            recordRemoval(of: slot)
            return remove(at: found.slotIndex)
        }
        narrow(slot)
        recordChange(slot)
    }

    /// Converts a state that another kind of rule has counted.
    @inline(__always)
    private mutating func adopt(_ slot: Slot, _ rule: borrowing CountingRule, _ now: Int64) {
        if slot.kind != rule.kind { overwrite(slot, with: rule.adopt(state(in: slot), at: now)) }
    }

    /// Replaces a slot's state with another one.
    mutating func overwrite(_ slot: Slot, with state: borrowing some CountedState) {
        giveBlock(of: slot)
        slot.empty(state.kind)
        widen(slot, for: state.moments.count)
        var copy = self.state(in: slot)
        copy.copy(state)
    }
}
