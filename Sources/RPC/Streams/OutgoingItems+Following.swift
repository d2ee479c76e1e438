package import ServiceRuntime
import Synchronization

extension OutgoingItems {
    /// Sends each of `changes` as it comes, and the last again at every `heartbeat`, so that the
    /// follower knows how stale it is. Returns when the changes end.
    package func follow(
        _ changes: some AsyncSequence<Item, Never> & Sendable, time: any Time,
        heartbeat: Duration = FrameLimits.watchHeartbeat
    ) async throws {
        let last = LatestItem<Item>()
        try await withThrowingTaskGroup(of: Void.self) { parts in
            parts.addTask {
                for await change in changes {
                    last.item.withLock { $0 = change }
                    try await write(change)
                }
            }
            parts.addTask {
                while true {
                    try await time.sleep(for: heartbeat)
                    if let item = last.item.withLock({ $0 }) { try await write(item) }
                }
            }
            defer { parts.cancelAll() }
            try await parts.next()
        }
    }
}

/// What a follower heard last.
private final class LatestItem<Item: Sendable>: Sendable {
    let item = Mutex<Item?>(nil)
}
