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
    /// - Parameter formers: the newest first; at most 15.
    func move(
        _ formers: [LimitKey], to current: LimitKey, under number: Int64, _ moved: MovedStates
    ) {
        var locks = StripeLocks()
        for key in formers + [current] { locks.add(stripes.place(of: key)) }
        for place in 0..<locks.count { stripes.lock(locks[place]) }
        defer { for place in 0..<locks.count { stripes.unlock(locks[place]) } }
        guard isCurrent(number) else { return }
        for former in formers { take(former, to: current, moved) }
    }

    /// Takes the states of these keys away.
    func strike(_ keys: Set<LimitKey>) {
        for key in keys {
            stripes.locked(stripes.place(of: key)) {
                _ = $0.pointee.keep(LimitState(.ring), of: key)
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
    func isCharged(before moment: Timestamp) -> Bool {
        var isCharged = false
        stripes.forEachLocked { stripe in
            guard !isCharged else { return }
            stripe.pointee.forEach { _, state in
                guard state.kind != .rate, let last = state.moments.last else { return }
                if last <= moment.milliseconds { isCharged = true }
            }
        }
        return isCharged
    }

    private func take(_ former: LimitKey, to current: LimitKey, _ moved: MovedStates) {
        guard let state = stripes[former].pointee.state(of: former), !moved.contains(former)
        else { return }
        if !stripes[current].pointee.holds(current) {
            // As from the journal, for which there is always room: another leaves in its place.
            stripes[current].pointee.restore(state, of: current)
            stripes[current].pointee.keep(state, of: current)
        }
        if !moved.note(former) { stripes[former].pointee.keep(LimitState(state.kind), of: former) }
    }
}
