import ServiceRuntime
import Storage

/// Numbers that a provider reported as dead. They are suppressed for one day only: numbers come
/// back into service, and an owner who has sent "stop" may send "start".
extension Transaction {
    /// How long a dead number is suppressed.
    private static var stoppedFor: Duration { .seconds(24 * 3_600) }

    /// Records a dead number by its keyed hash.
    func stopNumber(_ recipient: [UInt8], reason: String) throws {
        try execute("DELETE FROM stopped_number WHERE until_ms <= ?", [SQLValue(at)])
        try execute(
            """
            INSERT INTO stopped_number (recipient_hash, reason, until_ms) VALUES (?, ?, ?)
            ON CONFLICT (recipient_hash) DO UPDATE
            SET reason = excluded.reason, until_ms = excluded.until_ms
            """,
            [.blob(recipient), .text(reason), SQLValue(at + Self.stoppedFor)])
    }
}

extension SQLSession {
    /// Whether a number is suppressed at `now`.
    func isNumberStopped(_ recipient: [UInt8], at now: Timestamp) throws -> Bool {
        try queryOne(
            "SELECT 1 FROM stopped_number WHERE recipient_hash = ? AND until_ms > ?",
            [.blob(recipient), SQLValue(now)]
        ) { _ in true } ?? false
    }
}
