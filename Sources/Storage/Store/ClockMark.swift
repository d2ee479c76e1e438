import ServiceRuntime

/// The store's high-water mark: a moment that has been, written with a commit each quarter of a
/// minute (Sources/SECURITY.md, Clock), and where it was on the clock that counts from the
/// machine's boot. A later start compares its clock with it (`ClockStart`), so that nothing that
/// expired revives, and no limit is reset.
struct ClockMark: Sendable {
    /// What a start can fall back at most, and how far two services can differ after it: less than
    /// a sign-in proof lives, or sign-ins would stop on a machine whose clock fell back.
    static let interval: Duration = .seconds(15)

    let time: any Time
    let clock: ClockHold
    /// When it was last written by this process.
    private var written: Timestamp?
    /// Written in the group that is not yet on disk.
    private var pending: Timestamp?

    /// The mark of a store whose time `clock` has set.
    init(time: any Time, clock: ClockHold) {
        self.time = time
        self.clock = clock
    }

    /// Writes the mark if it is due.
    ///
    /// `boot_at_ms` repeats the moment: an older program on this schema moves `at_ms` alone, and
    /// the uptime beside it is then another moment's.
    mutating func write(_ connection: any SQLConnection) throws {
        pending = nil
        let now = time.now()
        if let written, now - written < Self.interval { return }
        try connection.execute(
            """
            INSERT INTO clock_mark (id, at_ms, boot_at_ms, boot, uptime_ms, in_doubt)
            VALUES (1, ?1, ?1, ?2, ?3, ?4)
            ON CONFLICT (id) DO UPDATE SET
                at_ms = excluded.at_ms, boot_at_ms = excluded.boot_at_ms,
                boot = excluded.boot, uptime_ms = excluded.uptime_ms,
                in_doubt = excluded.in_doubt
            WHERE excluded.at_ms >= at_ms
            """,
            [
                SQLValue(now), SQLValue(time.boot), .integer(time.uptime().milliseconds),
                .integer(clock.isInDoubt ? 1 : 0),
            ])
        pending = now
    }

    /// The group is on disk.
    mutating func noteCommit() {
        written = pending ?? written
    }

    /// The mark of the store; nil before its first commit.
    static func read(_ connection: any SQLConnection) throws -> StoredMoment? {
        try connection.queryOne(
            "SELECT at_ms, boot_at_ms, boot, uptime_ms, in_doubt FROM clock_mark WHERE id = 1"
        ) { row in
            var moment = StoredMoment(at: try row.timestamp(0), boot: nil, isInDoubt: false)
            guard try row.optionalTimestamp(1) == moment.at, let boot = try row.optionalText(2)
            else { return moment }
            moment.boot = StoredMoment.Boot(
                id: boot, uptime: .milliseconds(try row.integer(3)))
            moment.isInDoubt = try row.integer(4) != 0
            return moment
        }
    }
}
