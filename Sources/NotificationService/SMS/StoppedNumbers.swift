import ServiceRuntime
import Storage

/// Numbers that a provider called dead. Kept for a day only: numbers come back into service, and
/// who had said "stop" may have said "start".
extension Transaction {
    /// How long a dead number is left alone.
    private static var stoppedFor: Duration { .seconds(24 * 3_600) }

    /// Notes a dead number, by its keyed hash.
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
    /// Whether a number is left alone at `now`.
    func isNumberStopped(_ recipient: [UInt8], at now: Timestamp) throws -> Bool {
        try queryOne(
            "SELECT 1 FROM stopped_number WHERE recipient_hash = ? AND until_ms > ?",
            [.blob(recipient), SQLValue(now)]
        ) { _ in true } ?? false
    }
}
