import ServiceRuntime
import Storage

/// The tables of the notification service whose rows expire.
extension NotificationStore {
    /// - Parameter messageRetention: How long the row of a message is kept after its end.
    static func purges(endedMessagesFor messageRetention: Duration) -> [Purge] {
        [
            Purge { session, now in
                try session.hasMessage(endedBefore: now - messageRetention)
            } remove: { transaction, rowsMax in
                try transaction.forgetMessages(
                    endedBefore: transaction.at - messageRetention, limit: rowsMax)
            },
            Purge("dead_letter", key: "id", expiry: "kept_until_ms"),
            Purge("push_call", key: "number", expiry: "at_ms", after: retention),
            Purge(
                "stopped_address", key: "number", expiry: "stopped_at_ms",
                after: SuppressionList.suppressedFor),
            Purge("stopped_number", key: "number", expiry: "until_ms"),
        ]
    }

    /// Deletes old events. At the end all deliveries are searched for those that it makes due, so
    /// this is done once an hour and not with the purges.
    static func forgettingEvents(in store: Store) -> Duty {
        Duty("webhook-events", every: .seconds(3_600)) {
            let rowsMax = 500
            let forgotten = try await store.write(about: [.expired, .table("webhook")]) {
                try $0.forgetEvents(importedBefore: $0.at - eventRetention, limit: rowsMax)
            }
            return forgotten >= rowsMax
        }
    }
}

extension SQLSession {
    /// Whether a message ended before `moment`.
    fileprivate func hasMessage(endedBefore moment: Timestamp) throws -> Bool {
        try queryOne("SELECT 1 FROM message WHERE ended_at_ms < ? LIMIT 1", [SQLValue(moment)]) {
            _ in true
        } ?? false
    }
}
