package import Messages
package import RPC
import ServiceRuntime
import Synchronization

/// One log of ends in memory that any number of followers read, each at its own pace (S-06): the
/// session service's, filled from its store, and the gateway's, filled by following that.
///
/// A follower holds a place in the log and nothing else, so a slow one costs nothing and stops
/// nobody: it goes on from its place, or, where that is forgotten, from a reset.
package final class RevocationLog: Sendable {
    private struct State {
        var pages = RevocationPages()
        var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
        var watchersSeen = 0
    }

    private let state = Mutex(State())

    /// A log that knows nothing yet, and tells nothing until it does.
    package init() {}

    /// How many ends are kept.
    package var count: Int { state.withLock { $0.pages.count } }

    /// The place of the last end that is known.
    package var position: UInt64 { state.withLock { $0.pages.last } }

    /// Takes news in and wakes the followers: also for news without an end, which are the sign of
    /// life that a follower needs.
    package func take(_ news: RevocationUpdate) {
        state.withLock { state in
            state.pages.take(news)
            for watcher in state.watchers.values { watcher.yield() }
        }
    }

    /// Tells a follower all that `request` asks for, as it comes, until the follower leaves.
    /// - Throws: `ServiceError` when the call is over.
    package func serve(
        _ request: SessionV1.WatchEndsRequest, _ items: OutgoingItems<SessionV1.WatchEndsItem>
    ) async throws {
        var cursor = RevocationCursor(position: request.position, epoch: request.epoch)
        for await _ in changes() {
            // The whole of what is pending; then what came meanwhile rings again.
            while let item = page(&cursor) {
                try await items.write(item)
                if item.completeAtMs > 0 { break }
            }
        }
    }

    private func page(_ cursor: inout RevocationCursor) -> SessionV1.WatchEndsItem? {
        // Not inside the lock's closure: an inout parameter cannot be lent to it twice.
        var moved = cursor
        let item = state.withLock { $0.pages.page(&moved) }
        cursor = moved
        return item
    }

    /// An element at once, and one after each change; several unread ones count as one.
    private func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.watchersSeen += 1
            state.watchers[state.watchersSeen] = continuation
            continuation.yield()
            return state.watchersSeen
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.watchers.removeValue(forKey: number) }
        }
        return stream
    }
}
