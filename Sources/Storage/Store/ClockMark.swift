import ServiceRuntime

/// The store's high-water mark: a moment that has been, written with a commit each quarter of a
/// minute (security.md, Clock). A later start on a clock that shows an earlier moment goes on from
/// it, so that nothing that expired revives, and no limit begins anew.
struct ClockMark: Sendable {
    /// What a start can fall back at most, and how far two services can differ after it: less than
    /// a sign-in proof lives, or sign-ins would stop on a machine whose clock fell back.
    static let interval: Duration = .seconds(15)

    /// When it was last written by this process.
    private var written: Timestamp?
    /// Written in the group that is not yet on disk.
    private var pending: Timestamp?

    /// Writes the mark if it is due.
    mutating func write(_ now: Timestamp, _ connection: any SQLConnection) throws {
        pending = nil
        if let written, now - written < Self.interval { return }
        try connection.execute(
            """
            INSERT INTO clock_mark (id, at_ms) VALUES (1, ?)
            ON CONFLICT (id) DO UPDATE SET at_ms = max(at_ms, excluded.at_ms)
            """,
            [SQLValue(now)])
        pending = now
    }

    /// The group is on disk.
    mutating func noteCommit() {
        written = pending ?? written
    }

    /// The mark of the store; nil before its first commit.
    static func read(_ connection: any SQLConnection) throws -> Timestamp? {
        try connection.queryOne("SELECT at_ms FROM clock_mark WHERE id = 1") {
            try $0.timestamp(0)
        }
    }
}
