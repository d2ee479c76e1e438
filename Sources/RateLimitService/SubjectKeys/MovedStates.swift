import Synchronization

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
    func note(_ key: LimitKey) -> Bool {
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
        try await table.persisted([])
        guard !moved.isEmpty else { return }
        table.remove(moved)
        keys.withLock { $0.subtract(moved) }
    }

    /// Waits until all decisions are on disk and no copy under a former key remains there.
    /// - Throws: as `write`.
    func finish(_ table: LimitTable) async throws {
        try await write(table)
        try await table.persisted([])
    }
}
