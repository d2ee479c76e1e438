package import Messages
package import RPC
package import ServiceRuntime
import Synchronization

/// A log of revocations in memory, which any number of followers read, each at its own pace (S-06).
/// The session service fills its log from its store; the gateway fills its own by following that.
///
/// A follower holds only a position in the log, so a slow one costs nothing and delays no other: it
/// continues from its position or, if that has been dropped, from a reset.
package final class RevocationLog: Sendable {
    private let pages = Mutex(RevocationPages())
    private let followers = Watchers<Void>()

    /// An empty log. It sends nothing until the first update.
    package init() {}

    /// Number of retained revocations.
    package var count: Int { pages.withLock { $0.count } }

    /// The position of the last known revocation.
    package var position: UInt64 { pages.withLock { $0.last } }

    /// Applies an update and wakes the followers. An update without a revocation also wakes them:
    /// it is the heartbeat that followers need.
    package func take(_ update: RevocationUpdate) {
        pages.withLock { $0.take(update) }
        followers.send(())
    }

    /// Sends a follower the revocations that `request` asks for, and new ones as they arrive, until
    /// the call ends. Each item has the time at which it is sent.
    /// - Throws: `ServiceError` when the call has ended.
    package func serve(
        _ request: SessionV1.WatchRevocationsRequest,
        _ items: OutgoingItems<SessionV1.WatchRevocationsItem>, _ time: any Time
    ) async throws {
        try await serve(RevocationCursor(position: request.position, epoch: request.epoch)) {
            var item = $0
            item.sentAtMs = time.now().milliseconds
            try await items.write(item)
        }
    }

    /// As the function above, to a follower of the public API.
    /// - Throws: `ServiceError` when the call has ended.
    package func serve(
        _ request: GatewayV1.WatchRevocationsRequest,
        _ items: OutgoingItems<GatewayV1.WatchRevocationsItem>
    ) async throws {
        let after = request.after ?? GatewayV1.RevocationPosition()
        try await serve(RevocationCursor(position: after.number, epoch: after.epoch)) {
            try await items.write(GatewayV1.WatchRevocationsItem($0))
        }
    }

    private func serve(
        _ start: RevocationCursor, _ write: (SessionV1.WatchRevocationsItem) async throws -> Void
    ) async throws {
        var cursor = start
        for await _ in followers.stream(()) {
            // Send all pending pages; later updates signal again.
            while let item = page(&cursor) {
                try await write(item)
                if item.completeAtMs > 0 { break }
            }
        }
    }

    private func page(_ cursor: inout RevocationCursor) -> SessionV1.WatchRevocationsItem? {
        // A copy, because the inout parameter cannot be used inside the lock's closure.
        var moved = cursor
        let item = pages.withLock { $0.page(&moved) }
        cursor = moved
        return item
    }
}

extension GatewayV1.WatchRevocationsItem {
    /// An item of the session service's feed, for the public API.
    fileprivate init(_ item: SessionV1.WatchRevocationsItem) {
        self.init(
            position: GatewayV1.RevocationPosition(number: item.position, epoch: item.epoch),
            reset: item.reset,
            revocations: item.ends.map {
                GatewayV1.RevokedSession(
                    sessionId: $0.sessionId, endedAtMs: $0.endedAtMs,
                    reason: $0.reason)
            },
            keysChanged: item.keysChanged, keySetHash: item.keySet, keptForMs: item.keptForMs,
            complete: item.completeAtMs > 0 ? .completeAtMs(item.completeAtMs) : nil)
    }
}
