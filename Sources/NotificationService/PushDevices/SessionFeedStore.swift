import ServiceRuntime
import Storage

/// The position up to which session's feed was read for the devices bound to a session.
enum SessionFeedStore {
    /// The table, as migration `number`. It has one row, or none while no device is bound to a
    /// session. The index finds out whether there is such a device.
    static func migration(number: Int) -> Migration {
        Migration(
            number: number,
            sql: """
                CREATE TABLE session_feed (
                    one INTEGER PRIMARY KEY CHECK (one = 1),
                    position INTEGER NOT NULL,
                    at_ms INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX push_device_with_session ON push_device (seen_at_ms)
                    WHERE session_hash IS NOT NULL;
                """)
    }
}

extension SQLSession {
    /// The smallest last-seen time of all devices that are bound to a session; nil if there is no
    /// such device.
    func oldestSessionDevice() throws -> Timestamp? {
        try queryOne(
            "SELECT min(seen_at_ms) FROM push_device WHERE session_hash IS NOT NULL"
        ) { try $0.optionalTimestamp(0) } ?? nil
    }

    /// The position of the last reading; nil if there was none.
    func sessionFeedPosition() throws -> FeedPosition? {
        try queryOne("SELECT position, at_ms FROM session_feed") {
            FeedPosition(position: try $0.integer(0), atMs: try $0.integer(1))
        }
    }
}

extension Transaction {
    /// Stores the position of a reading.
    func setSessionFeedPosition(_ place: FeedPosition) throws {
        try execute(
            """
            INSERT INTO session_feed (one, position, at_ms) VALUES (1, ?, ?)
            ON CONFLICT (one) DO UPDATE SET position = excluded.position, at_ms = excluded.at_ms
            """,
            [.integer(place.position), .integer(place.atMs)])
    }

    /// Called when no device is bound to a session. The next such device makes reading start at its
    /// own time.
    func forgetSessionFeedPosition() throws { try execute("DELETE FROM session_feed") }

    /// Deletes the devices bound to a session that were last seen before `moment`.
    func dropSessionDevices(seenBefore moment: Timestamp) throws {
        try execute(
            "DELETE FROM push_device WHERE session_hash IS NOT NULL AND seen_at_ms <= ?",
            [SQLValue(moment)])
    }
}
