package import ServiceRuntime
import Synchronization

/// A changing value that many followers receive, each by a stream. A follower gets the current
/// state at once, then each change, and the latest item again at every heartbeat, so that it knows
/// how stale its state is.
///
/// One task reads the changes and sends the heartbeats for all followers, as long as there is one.
/// A follower costs only its suspended handler. With a task, a timer and a channel of its own each
/// would cost several times the allowed 4 KiB (`ServerLimits.watchingMax`).
package final class Broadcaster<Item: Sendable>: Sendable {
    private struct State {
        /// Number of announcements; a follower remembers the last one that it received.
        var sequence: UInt64 = 0
        /// The latest item; nil before the first, and while there is no follower.
        var latest: Item?
        var isOver = false
        var followers = 0
        var numbersUsed: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var feed: Task<Void, Never>?

        /// Whether there is a newer announcement than `seen`.
        func has(after seen: UInt64) -> Bool { latest != nil && sequence != seen }
    }

    private let state = Mutex(State())
    private let time: any Time
    private let heartbeat: Duration
    private let takeChanges: @Sendable (Broadcaster<Item>) async -> Void

    /// Broadcasts the items of `changes`, whose first item must be the current state. `changes` is
    /// called again whenever the first follower arrives.
    package init<Changes: AsyncSequence<Item, Never> & Sendable>(
        time: any Time, heartbeat: Duration = FrameLimits.watchHeartbeat,
        _ changes: @escaping @Sendable () -> Changes
    ) {
        self.time = time
        self.heartbeat = heartbeat
        takeChanges = { followed in
            for await change in changes() { followed.announce(change) }
            followed.end()
        }
    }

    // MARK: Following

    /// Writes the items to a follower's `items`, until the changes end or the call does.
    /// - Throws: `CancellationError` when the call was cancelled, or the error of a failed write.
    package func send(to items: OutgoingItems<Item>) async throws {
        enter()
        defer { leave() }
        var seen: UInt64 = 0
        while let (item, sequence) = await next(after: seen) {
            seen = sequence
            try await items.write(item)
        }
        try Task.checkCancellation()
    }

    /// Waits for an announcement newer than `seen` and returns the latest item; nil at the end.
    private func next(after seen: UInt64) async -> (item: Item, sequence: UInt64)? {
        let number = state.withLock { state in
            state.numbersUsed &+= 1
            return state.numbersUsed
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    let isDue = state.has(after: seen) || state.isOver || Task.isCancelled
                    if !isDue { state.waiting[number] = continuation }
                    return isDue
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
        return state.withLock { state in
            guard state.has(after: seen), !Task.isCancelled else { return nil }
            return state.latest.map { ($0, state.sequence) }
        }
    }

    /// The first follower starts the feed.
    private func enter() {
        state.withLock { state in
            state.followers += 1
            guard state.feed == nil else { return }
            state.isOver = false
            state.feed = Task { [self] in await feed() }
        }
    }

    /// The last follower stops it. The latest item is dropped: it may be outdated when the next
    /// follower arrives.
    private func leave() {
        state.withLock { state in
            state.followers -= 1
            guard state.followers == 0 else { return }
            state.feed?.cancel()
            state.feed = nil
            state.latest = nil
        }
    }

    // MARK: Announcing

    private func feed() async {
        await withTaskGroup(of: Void.self) { parts in
            parts.addTask { [self] in await takeChanges(self) }
            parts.addTask { [self] in await beat() }
            await parts.next()
            parts.cancelAll()
        }
    }

    private func beat() async {
        while true {
            do {
                try await time.sleep(for: heartbeat)
            } catch {
                return  // cancelled: there is no follower any more
            }
            announce(nil)
        }
    }

    /// Announces an item, or the latest one again.
    private func announce(_ item: Item?) {
        wake { state in
            guard item != nil || state.latest != nil else { return false }
            if let item { state.latest = item }
            state.sequence &+= 1
            return true
        }
    }

    private func end() {
        wake { state in
            state.isOver = true
            return true
        }
    }

    /// Applies `change` and, if it returns true, wakes all waiting followers.
    private func wake(_ change: (inout State) -> Bool) {
        let waiting: [CheckedContinuation<Void, Never>] = state.withLock { state in
            // A cancelled feed must not wake the followers that the next feed serves.
            guard !Task.isCancelled, change(&state) else { return [] }
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for waiter in waiting { waiter.resume() }
    }
}
