import ServiceRuntime
import Synchronization

/// Moving a subject's state to its key under another secret (`SubjectKeyRing`).
///
/// For callers a move is one act: all stripes are held. On disk it is two, since stripes are
/// written one after the other, and a crash may fall between. So the former's state is taken away
/// only when a flush that began after the move has put its successor on disk (`MovedStates`); until
/// then it stays as it was, and nobody looks at it:
///
///     on disk after a crash         what the next process does
///     the former's state            moves it: nothing has happened
///     both                          takes the current one, forgets the former's
///     the current one               nothing more
extension LimitTable {
    /// Brings what is kept under `formers` to `current`, unless the key of the secret with that
    /// number is not in force any more.
    /// - Parameters:
    ///   - formers: the newest first; at most 15.
    ///   - moment: what a state that never ends is kept as last charged at.
    func move(
        _ formers: [LimitKey], to current: LimitKey, under number: Int64, at moment: Timestamp,
        _ moved: MovedStates
    ) {
        var locks = StripeLocks()
        for key in formers + [current] { locks.add(stripes.place(of: key)) }
        for place in 0..<locks.count { stripes.lock(locks[place]) }
        defer { for place in 0..<locks.count { stripes.unlock(locks[place]) } }
        guard isCurrent(number) else { return }
        let moment = Self.moment(moment)
        for former in formers { take(former, to: current, at: moment, moved) }
    }

    /// Takes the states of these keys away.
    func remove(_ keys: Set<LimitKey>) {
        for key in keys {
            stripes.locked(stripes.place(of: key)) {
                $0.pointee.forget(at: $0.pointee.find(key))
            }
        }
    }

    /// Puts the secret of that number in force: whoever has made keys under another begins anew.
    func use(_ number: Int64) { keyNumber.store(number, ordering: .releasing) }

    /// Whether keys that were made under the secret of that number are in force; asked with the
    /// stripes held, so that what is decided after it is decided before any move that follows.
    func isCurrent(_ number: Int64) -> Bool { keyNumber.load(ordering: .acquiring) == number }

    /// Whether something counts that was last charged before `moment`. A bucket does not tell when
    /// that was, but none takes longer to drain than former secrets are kept at the least.
    /// - Parameter oldest: what never ends and was last charged before that stands under a secret
    ///   that the operator had forgotten. Nobody finds it, so it keeps no other secret.
    func isCharged(before moment: Timestamp, since oldest: Timestamp) -> Bool {
        var isCharged = false
        var rules = RulesAtHand(stripes.rules)
        stripes.forEachLocked { stripe in
            guard !isCharged else { return }
            stripe.pointee.forEach { key, state in
                guard state.kind != .rate, let last = state.moments.last,
                    last <= moment.milliseconds
                else { return }
                let isLost =
                    last < oldest.milliseconds && Self.isEndless(state, by: rules[key.limit])
                if !isLost { isCharged = true }
            }
        }
        return isCharged
    }

    /// A lock for good is told to be so by its failures alone, whenever they were: only where the
    /// operator makes it end later does that begin at the move.
    private func take(
        _ former: LimitKey, to current: LimitKey, at moment: Int64, _ moved: MovedStates
    ) {
        let stripe = stripes[former]
        guard var state = stripe.pointee.copy(of: former), !moved.contains(former) else { return }
        if Self.isEndless(state, by: stripes.rules(former.limit)) { state.delay(to: moment) }
        stripes[current].pointee.take(state, of: current)
        if !moved.note(former) { stripe.pointee.forget(at: stripe.pointee.find(former)) }
    }

    /// Whether a state counts until somebody resets it.
    private static func isEndless(
        _ state: borrowing some CountedState, by rule: CountingRule?
    ) -> Bool {
        guard let rule, rule.kind == state.kind else { return false }
        return rule.end(state) == .max
    }
}

extension LimitState {
    /// Has a lock last charged at a moment, if that is later; the series began when it did.
    fileprivate mutating func delay(to moment: Int64) {
        guard kind == .lock, let last = moments.last, last < moment else { return }
        let began = moments[0]
        moments.count = 0
        moments.insert(began)
        moments.insert(moment)
    }
}

extension Stripe {
    /// What is kept of `key`.
    fileprivate func copy(of key: LimitKey) -> LimitState? {
        let found = find(key)
        return found.isThere ? LimitState(state(in: slots[found.place])) : nil
    }

    /// Keeps a state that has moved here, unless there is one. As from the journal, there is always
    /// room for it: another leaves in its place.
    fileprivate mutating func take(_ state: LimitState, of key: LimitKey) {
        let found = find(key)
        guard !found.isThere else { return }
        let slot = slots.insert(key, at: found)
        occupy(slot, key, state.kind)
        overwrite(slot, with: state)
        noteChange(slot)
    }
}
