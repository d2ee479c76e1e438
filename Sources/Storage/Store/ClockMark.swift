import Logging
package import ServiceRuntime

/// The store's high-water mark of time: the latest known moment, written with a commit every 15
/// seconds (Sources/SECURITY.md, Clock), together with the machine's uptime at that moment. A later
/// start compares its clock with the mark (`ClockStart`), so that no expired token or code becomes
/// valid again and no limit is reset.
struct ClockMark: Sendable {
    /// How far a start can fall back at most, and how far two services can differ after it. Less
    /// than the life of a sign-in proof, otherwise sign-ins would fail on a machine whose clock was
    /// set back.
    static let interval: Duration = .seconds(15)

    let time: any Time
    /// What has set `time` at the start.
    let clock: ClockHold
    /// When this process last committed it.
    var written: Timestamp?

    /// Writes the mark if it is due. Nothing is recorded here, since the commit can still fail.
    ///
    /// `boot_at_ms` repeats the moment. An older program on this schema updates only `at_ms`; the
    /// difference then shows that the uptime belongs to another moment.
    /// - Returns: the value of `written` after the commit.
    func write(_ connection: any SQLConnection) throws -> Timestamp? {
        let now = time.now()
        if let written, now - written < Self.interval { return written }
        try connection.execute(
            """
            INSERT INTO clock_mark (id, at_ms, boot_at_ms, boot, uptime_ms, in_doubt)
            VALUES (1, ?1, ?1, ?2, ?3, ?4)
            ON CONFLICT (id) DO UPDATE SET
                at_ms = excluded.at_ms, boot_at_ms = excluded.boot_at_ms,
                boot = excluded.boot, uptime_ms = excluded.uptime_ms,
                in_doubt = excluded.in_doubt
            WHERE excluded.at_ms >= clock_mark.at_ms
            """,
            [
                SQLValue(now), SQLValue(time.boot), .integer(time.uptime().milliseconds),
                .integer(clock.isInDoubt ? 1 : 0),
            ])
        return now
    }

    /// The mark of the store; nil before its first commit.
    static func read(_ connection: any SQLConnection) throws -> StoredMoment? {
        try connection.queryOne(
            "SELECT at_ms, boot_at_ms, boot, uptime_ms, in_doubt FROM clock_mark WHERE id = 1"
        ) { row in
            let moment = try row.timestamp("at_ms")
            guard try row.optionalTimestamp("boot_at_ms") == moment,
                let boot = try row.optionalText("boot")
            else { return StoredMoment(at: moment, boot: nil, uptime: .zero, isInDoubt: false) }
            return StoredMoment(
                at: moment, boot: boot, uptime: .milliseconds(try row.integer("uptime_ms")),
                isInDoubt: try row.integer("in_doubt") != 0)
        }
    }
}

/// Keeps a store's clock mark current when there are no writes: a service that was idle for days
/// must not look, at its next start, like one that was off for days. Also checks whether the
/// machine's clock can be trusted again, where the service waits for that.
package struct ClockMarking: Sendable {
    /// The interval while writes fail, so that health soon sees that they work again.
    private static let retryEvery: Duration = .seconds(1)

    private let store: Store
    private let time: any Time

    /// For `store`, whose commits write the mark.
    package init(store: Store, time: any Time) {
        self.store = store
        self.time = time
    }

    /// Runs until cancelled.
    /// - Throws: `CancellationError`.
    package func run() async throws {
        var failures = 0
        while true {
            let rest = store.writes.failure == nil ? ClockMark.interval : Self.retryEvery
            try await time.sleep(for: rest)
            _ = store.clock.isHeld
            do {
                try await store.write(about: []) { _ in }
                failures = 0
            } catch {
                try Task.checkCancellation()
                failures += 1
                guard failures.isLoggedFailure else { continue }
                store.logger.warning(
                    "store.clock_mark.failed", "writing the store's clock mark failed",
                    fields: [.attempt: .count(failures), .detail: .error(error)])
            }
        }
    }
}
