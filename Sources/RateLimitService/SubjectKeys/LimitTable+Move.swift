import Contracts
import ServiceRuntime
import Synchronization

/// Moves a subject's state to its key under another secret (`SubjectKeyRing`).
///
/// For callers a move is atomic: all its stripes are locked. On disk it is not, because stripes are
/// written one after the other, and a crash may happen in between. So the state under the former
/// key is deleted only when a flush that started after the move has written its copy
/// (`MovedStates`). Until then it stays unchanged and is not used:
///
///     on disk after a crash             what the next process does
///     the state under the former key    moves it: nothing has happened
///     both                              uses the current one, deletes the former one
///     the state under the current key   nothing
extension LimitTable {
    /// Moves the states under `formers` to `current`, unless the secret with that number is no
    /// longer the current one.
    /// - Parameters:
    ///   - formers: the newest first; at most 15.
    ///   - moment: the new time of the latest charge of a state that never ends.
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

    /// Deletes the states of these keys.
    func remove(_ keys: Set<LimitKey>) {
        for key in keys {
            stripes.locked(stripes.place(of: key)) {
                $0.pointee.forget(at: $0.pointee.find(key))
            }
        }
    }

    /// Makes the secret with that number the current one. Calls with keys under another secret then
    /// start over.
    func use(_ number: Int64) { keyNumber.store(number, ordering: .releasing) }

    /// Whether the secret with that number is the current one. Read with the stripes locked, so
    /// that a decision after it comes before any later move.
    func isCurrent(_ number: Int64) -> Bool { keyNumber.load(ordering: .acquiring) == number }

    /// Whether a state that still counts was last charged before `moment`. A bucket does not store
    /// that time, but every bucket drains in less than the shortest time for which former secrets
    /// are kept.
    /// - Parameter oldest: a state that never ends and was last charged before this time is under a
    ///   secret that the operator has deleted. No call can find it, so it does not keep any other
    ///   secret.
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

    /// A permanent lock depends only on the number of failures, at any time. Its new time matters
    /// only if the operator later makes it end: it then ends relative to the move.
    private func take(
        _ former: LimitKey, to current: LimitKey, at moment: Int64, _ moved: MovedStates
    ) {
        let stripe = stripes[former]
        guard var state = stripe.pointee.copy(of: former), !moved.contains(former) else { return }
        if Self.isEndless(state, by: stripes.rules(former.limit)) { state.delay(to: moment) }
        stripes[current].pointee.take(state, of: current)
        if !moved.note(former) { stripe.pointee.forget(at: stripe.pointee.find(former)) }
    }

    /// Whether a state counts until a reset.
    private static func isEndless(
        _ state: borrowing some CountedState, by rule: CountingRule?
    ) -> Bool {
        guard let rule, rule.kind == state.kind else { return false }
        return rule.end(state) == .max
    }
}

extension LimitState {
    /// Sets the time of a lock's latest charge, if it is later; the start of the series stays.
    fileprivate mutating func delay(to moment: Int64) {
        guard kind == .lock, let last = moments.last, last < moment else { return }
        let began = moments[0]
        moments.count = 0
        moments.insert(began)
        moments.insert(moment)
    }
}

extension Stripe {
    /// A copy of the state of `key`.
    fileprivate func copy(of key: LimitKey) -> LimitState? {
        let found = find(key)
        return found.isThere ? LimitState(state(in: slots[found.place])) : nil
    }

    /// Stores a state that was moved here, unless there is one. As with the journal, there is
    /// always capacity for it, because the state at the former key is deleted.
    fileprivate mutating func take(_ state: LimitState, of key: LimitKey) {
        let found = find(key)
        guard !found.isThere else { return }
        let slot = slots.insert(key, at: found)
        occupy(slot, key, state.kind)
        overwrite(slot, with: state)
        noteChange(slot)
    }
}
