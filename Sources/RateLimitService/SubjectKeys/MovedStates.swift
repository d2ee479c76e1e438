import Synchronization

/// The former keys of a table whose states have been moved, until these are taken away.
final class MovedStates: Sendable {
    /// Beyond, a state is taken away at once: a crash in the same moment may then lose it. So many
    /// wait only while the disk takes nothing.
    static let keysMax = 1_000_000

    private let keys = Mutex<Set<LimitKey>>([])

    /// Whether what stands under a former key is a copy.
    func contains(_ key: LimitKey) -> Bool { keys.withLock { $0.contains(key) } }

    /// Notes a former key.
    /// - Returns: false where there is no room.
    func note(_ key: LimitKey) -> Bool {
        keys.withLock { keys in
            guard keys.count < Self.keysMax else { return false }
            keys.insert(key)
            return true
        }
    }

    /// Waits until all that is decided is on disk, and takes away what had been moved before.
    /// - Throws: `rpc/unavailable` while the disk does not take it; nothing is then taken away.
    func write(_ table: LimitTable) async throws {
        let moved = keys.withLock { $0 }
        try await table.persisted([])
        guard !moved.isEmpty else { return }
        table.remove(moved)
        keys.withLock { $0.subtract(moved) }
    }

    /// Waits until all that is decided is on disk, and no copy of it under a former key.
    func finish(_ table: LimitTable) async throws {
        try await write(table)
        try await table.persisted([])
    }
}
