import Messages
import RPC
import ServiceRuntime
import Storage

extension OutboxHandler {
    /// The minimum time between two items of a watcher's stream: two updates per second at most.
    private static let watchInterval: Duration = .milliseconds(500)

    /// Streams the counts of messages and the latest changes until the call ends.
    func watchMessages(
        _ request: NotificationV1.WatchMessagesRequest,
        _ items: OutgoingItems<NotificationV1.WatchMessagesItem>, _ context: CallContext
    ) async throws {
        try context.requireOperator()
        try await delivery.changes.watch { update in
            let now = time.now()
            let (counts, changed) = try await store.read { session in
                (
                    try session.messageCounts(),
                    try update.messages.compactMap { try session.summary(of: $0, at: now) }
                )
            }
            try await items.write(
                NotificationV1.WatchMessagesItem(
                    counts: counts, changes: changed, changesLeftOut: update.leftOut))
            try await time.sleep(for: Self.watchInterval)
        }
    }
}
