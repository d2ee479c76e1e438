import ServiceRuntime
import Storage

/// The tables of the session service whose rows expire.
extension SessionTables {
    /// How long an account's end is kept. It matters only while a proof made before it would still
    /// be accepted, which is half a minute; a day allows for differing clocks.
    private static let accountEndRetention: Duration = .seconds(86_400)

    /// - Parameter retention: How long the row of an ended session is kept, and that its account
    ///   was deleted.
    static func purges(endedSessionsFor retention: Duration) -> [Purge] {
        [
            Purge("session", key: "id", expiry: "ended_at_ms", after: retention),
            Purge(
                "deleted_session", inOrderOf: "number", expiry: "deleted_at_ms", after: retention),
            Purge(
                "session_end", inOrderOf: "number", expiry: "ended_at_ms",
                after: Transaction.revocationRetention),
            Purge("used_proof", inOrderOf: "number", expiry: "stale_at_ms"),
            Purge("account_end", key: "account", expiry: "before_ms", after: accountEndRetention),
        ]
    }
}
