package import ServiceRuntime
import Synchronization

/// Something that changes and that many follow, each by a stream: a follower hears the state at
/// once, then each change, and the last again at every heartbeat, so that it knows how stale it is.
///
/// One task takes the changes and keeps the heartbeat for all, as long as anybody follows. A
/// follower has its handler alone, waiting in a line: with a task, a timer and a channel of its own
/// each would cost several times the 4 KiB that one may (`ServerLimits.watchingMax`).
package final class Broadcaster<Item: Sendable>: Sendable {
    private struct State {
        /// Counts what was told; a follower has heard up to one of these.
        var told: UInt64 = 0
        /// What was told last; nil before the first, and while nobody follows.
        var latest: Item?
        var isOver = false
        var followers = 0
        var numbersUsed: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var feed: Task<Void, Never>?

        /// Whether there is more than a follower has `heard`.
        func has(after heard: UInt64) -> Bool { latest != nil && told != heard }
    }

    private let state = Mutex(State())
    private let time: any Time
    private let heartbeat: Duration
    private let takeChanges: @Sendable (Broadcaster<Item>) async -> Void

    /// What `changes` tells of, the present state first; asked for anew whenever somebody follows
    /// after nobody did.
    package init<Changes: AsyncSequence<Item, Never> & Sendable>(
        time: any Time, heartbeat: Duration = FrameLimits.watchHeartbeat,
        _ changes: @escaping @Sendable () -> Changes
    ) {
        self.time = time
        self.heartbeat = heartbeat
        takeChanges = { followed in
            for await change in changes() { followed.tell(change) }
            followed.end()
        }
    }

    // MARK: Following

    /// Sends what is told to `items`, until the changes end or the call does.
    package func send(to items: OutgoingItems<Item>) async throws {
        enter()
        defer { leave() }
        var heard: UInt64 = 0
        while let (item, told) = await next(after: heard) {
            heard = told
            try await items.write(item)
        }
        try Task.checkCancellation()
    }

    /// The latest, once more has been told than was `heard`; nil at the end.
    private func next(after heard: UInt64) async -> (item: Item, told: UInt64)? {
        let number = state.withLock { state in
            state.numbersUsed &+= 1
            return state.numbersUsed
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    let isDue = state.has(after: heard) || state.isOver || Task.isCancelled
                    if !isDue { state.waiting[number] = continuation }
                    return isDue
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
        return state.withLock { state in
            guard state.has(after: heard), !Task.isCancelled else { return nil }
            return state.latest.map { ($0, state.told) }
        }
    }

    /// The first to follow begins the feed.
    private func enter() {
        state.withLock { state in
            state.followers += 1
            guard state.feed == nil else { return }
            state.isOver = false
            state.feed = Task { [self] in await feed() }
        }
    }

    /// The last to leave ends it. Nothing is left of what it said: by the next time it may be old.
    private func leave() {
        state.withLock { state in
            state.followers -= 1
            guard state.followers == 0 else { return }
            state.feed?.cancel()
            state.feed = nil
            state.latest = nil
        }
    }

    // MARK: Telling

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
                return  // cancelled: nobody follows any more
            }
            tell(nil)
        }
    }

    /// Tells all an item, or the latest again.
    private func tell(_ item: Item?) {
        wake { state in
            guard item != nil || state.latest != nil else { return false }
            if let item { state.latest = item }
            state.told &+= 1
            return true
        }
    }

    private func end() {
        wake { state in
            state.isOver = true
            return true
        }
    }

    /// Wakes all who wait, where `change` says that there is something for them to hear.
    private func wake(_ change: (inout State) -> Bool) {
        let waiting: [CheckedContinuation<Void, Never>] = state.withLock { state in
            // A feed that is over has nothing to say to those whom the next one serves.
            guard !Task.isCancelled, change(&state) else { return [] }
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for waiter in waiting { waiter.resume() }
    }
}
