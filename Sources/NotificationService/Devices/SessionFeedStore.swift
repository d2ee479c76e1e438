import ServiceRuntime
import Storage

/// Up to where session's feed has been read for devices that go with a session.
enum SessionFeedStore {
    /// The table, as the schema's step `number`: one row, or none while no device goes with a
    /// session; and the index by which that is seen.
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
    /// When the device was last seen that was so longest ago, of those that go with a session; nil
    /// where none does.
    func oldestSessionDevice() throws -> Timestamp? {
        try queryOne(
            "SELECT min(seen_at_ms) FROM push_device WHERE session_hash IS NOT NULL"
        ) { try $0.optionalTimestamp(0) } ?? nil
    }

    /// Where the last reading stood; nil for none.
    func sessionFeedPosition() throws -> FeedPosition? {
        try queryOne("SELECT position, at_ms FROM session_feed") {
            FeedPosition(position: try $0.integer(0), atMs: try $0.integer(1))
        }
    }
}

extension Transaction {
    /// Notes where a reading stood.
    func setSessionFeedPosition(_ place: FeedPosition) throws {
        try execute(
            """
            INSERT INTO session_feed (one, position, at_ms) VALUES (1, ?, ?)
            ON CONFLICT (one) DO UPDATE SET position = excluded.position, at_ms = excluded.at_ms
            """,
            [.integer(place.position), .integer(place.atMs)])
    }

    /// The next device that goes with a session is read for from its own time on.
    func forgetSessionFeedPosition() throws { try execute("DELETE FROM session_feed") }

    /// Drops the devices that went with a session before `moment`.
    func dropSessionDevices(seenBefore moment: Timestamp) throws {
        try execute(
            "DELETE FROM push_device WHERE session_hash IS NOT NULL AND seen_at_ms <= ?",
            [SQLValue(moment)])
    }
}
