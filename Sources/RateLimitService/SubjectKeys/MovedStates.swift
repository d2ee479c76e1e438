import ServiceRuntime
import Synchronization

/// Moves a subject's state to its key under another secret (`SubjectKeyRing`).
///
/// For callers a move is atomic: all its shards are locked. On disk it is not, because shards are
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
        _ formers: [LimitKey], to current: LimitKey, under keyNumber: Int64, at moment: Timestamp,
        _ moved: MovedStates
    ) {
        var locks = ShardLocks()
        for key in formers + [current] { locks.add(shards.shardIndex(of: key)) }
        for index in 0..<locks.count { shards.lock(locks[index]) }
        defer { for index in 0..<locks.count { shards.unlock(locks[index]) } }
        guard isCurrent(keyNumber) else { return }
        let moment = Self.moment(moment)
        for former in formers { take(former, to: current, at: moment, moved) }
    }

    /// Deletes the states of these keys.
    func remove(_ keys: Set<LimitKey>) {
        for key in keys {
            shards.locked(shards.shardIndex(of: key)) {
                $0.pointee.forget(at: $0.pointee.find(key))
            }
        }
    }

    /// Whether a state that still counts was last charged before `moment`. A bucket does not store
    /// that time, but every bucket drains in less than the shortest time for which former secrets
    /// are stored.
    /// - Parameter oldest: a state that never ends and was last charged before this time is under a
    ///   secret that the operator has deleted. No call can find it, so it does not keep any other
    ///   secret.
    func isCharged(before moment: Timestamp, since oldest: Timestamp) -> Bool {
        var isCharged = false
        var rules = RuleCache(shards.rules)
        shards.forEachLocked { shard in
            guard !isCharged else { return }
            shard.pointee.forEach { key, state in
                guard state.kind != .gcra, let last = state.moments.last,
                    last <= moment.milliseconds
                else { return }
                let isLost =
                    last < oldest.milliseconds && Self.isEndless(state, by: rules[key.limit])
                if !isLost { isCharged = true }
            }
        }
        return isCharged
    }

    /// A permanent lockout depends only on the number of failures, at any time. Its new time
    /// matters only if the operator later makes it end: it then ends relative to the move.
    private func take(
        _ former: LimitKey, to current: LimitKey, at moment: Int64, _ moved: MovedStates
    ) {
        let shard = shards[former]
        guard var state = shard.pointee.copy(of: former), !moved.contains(former) else { return }
        if Self.isEndless(state, by: shards.rules(former.limit)) { state.delay(to: moment) }
        shards[current].pointee.take(state, of: current)
        if !moved.record(former) { shard.pointee.forget(at: shard.pointee.find(former)) }
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
    /// Sets the time of a lockout's latest charge, if it is later; the start of the series stays.
    fileprivate mutating func delay(to moment: Int64) {
        guard kind == .lockout, let last = moments.last, last < moment else { return }
        let began = moments[0]
        moments.count = 0
        moments.insert(began)
        moments.insert(moment)
    }
}

extension Shard {
    /// A copy of the state of `key`.
    fileprivate func copy(of key: LimitKey) -> LimitState? {
        let found = find(key)
        return found.exists ? LimitState(state(in: slots[found.slotIndex])) : nil
    }

    /// Stores a state that was moved here, unless there is one. As with the journal, there is
    /// always capacity for it, because the state at the former key is deleted.
    fileprivate mutating func take(_ state: LimitState, of key: LimitKey) {
        let found = find(key)
        guard !found.exists else { return }
        let slot = slots.insert(key, at: found)
        occupy(slot, key, state.kind)
        overwrite(slot, with: state)
        recordChange(slot)
    }
}

/// The former keys of a table whose states have been moved, until those states are deleted.
final class MovedStates: Sendable {
    /// Above this number a state is deleted at once, and a crash at that moment may lose it. This
    /// many wait only while the disk accepts no writes.
    static let keysMax = 1_000_000

    private let keys = Mutex<Set<LimitKey>>([])

    /// Whether the state under a former key has been copied.
    func contains(_ key: LimitKey) -> Bool { keys.withLock { $0.contains(key) } }

    /// Records a former key.
    /// - Returns: false if the list is full.
    func record(_ key: LimitKey) -> Bool {
        keys.withLock { keys in
            guard keys.count < Self.keysMax else { return false }
            keys.insert(key)
            return true
        }
    }

    /// Waits until all decisions are on disk, then deletes the states that had been moved before.
    /// - Throws: `rpc/unavailable` while the disk accepts no writes; nothing is deleted then.
    func write(_ table: LimitTable) async throws {
        let moved = keys.withLock { $0 }
        try await table.persisted()
        guard !moved.isEmpty else { return }
        table.remove(moved)
        keys.withLock { $0.subtract(moved) }
    }

    /// Waits until all decisions are on disk and no copy under a former key remains there.
    /// - Throws: as `write`.
    func finish(_ table: LimitTable) async throws {
        try await write(table)
        try await table.persisted()
    }
}
