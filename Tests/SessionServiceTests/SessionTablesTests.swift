import Contracts
import Logging
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("The session store's schema is migrated from its first version on")
struct SessionTablesTests {
    private let folder: TemporaryFolder
    private let time = ManualTime()

    init() throws { folder = try TemporaryFolder() }

    private func store(steps: Int) throws -> Store {
        try TestStore.open(
            SessionTables.storeName, Array(SessionTables.migrations.prefix(steps)), in: folder.path,
            time: time)
    }

    @Test(
        "sessions of every earlier version are kept, and that version runs on the new schema",
        arguments: 1..<SessionTables.migrations.count)
    func earlier(steps: Int) async throws {
        let account = try #require(AccountID(key: 5))
        let first = try store(steps: steps)
        try await first.writeUnchecked { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO session (
                    id, account, counter, created_at_ms, used_at_ms, auth_time_ms, proved_at_ms,
                    methods, platform, device)
                VALUES (7, 5, 3, 1, 2, 1, 1, 'pwd', 'ios', NULL)
                """, [])
        }
        first.close()
        let now = try store(steps: SessionTables.migrations.count)
        let rows = try await now.read { try $0.openSessionsWithDevices(of: account) }
        #expect(rows.map(\.session.counter) == [3])
        #expect(rows.map(\.device.platform) == ["ios"] && rows[0].device.sealedName == nil)
        now.close()
        let again = try store(steps: steps)
        defer { again.close() }
        let count = try await again.writeUnchecked { transaction in
            try transaction.execute(
                "UPDATE session SET counter = 4 WHERE account = 5 AND ended_at_ms IS NULL", [])
        }
        #expect(count == 1)
    }

    private static let stepsBeforePositions = SessionTables.migrations.prefix {
        !$0.sql.contains("feed_head")
    }.count

    /// Adds ends as a program does that knows no positions.
    private func end(_ sessions: ClosedRange<Int64>, in store: Store) async throws {
        try await store.writeUnchecked { transaction in
            for session in sessions {
                try transaction.put(
                    "INSERT INTO session_end (session, ended_at_ms, reason) VALUES (?, ?, 1)",
                    [.integer(session), SQLValue(transaction.at)])
            }
        }
    }

    @Test("S-06: a subscriber of the version before positions continues and gets each end once")
    func positions() async throws {
        let former = try store(steps: Self.stepsBeforePositions)
        try await end(1...5, in: former)
        try await former.writeUnchecked {
            _ = try $0.execute("DELETE FROM session_end WHERE number <> 3")
        }
        former.close()
        let now = try store(steps: SessionTables.migrations.count)
        let session = try #require(SessionID(key: 6))
        try await now.writeUnchecked { try $0.recordRevocation(of: session, .signedOut) }
        try await now.number(.sessionEnds)
        let all = try await now.read { try $0.revocations(after: 0, countMax: 10) }
        #expect(all.map(\.position) == [3, 6])
        let new = try await now.read { try $0.revocations(after: 5, countMax: 10) }
        #expect(new.map(\.session) == [session])
        now.close()
    }

    @Test("S-06: ends that the version before positions added to this schema are found once")
    func positionsAfterReturn() async throws {
        let now = try store(steps: SessionTables.migrations.count)
        let session = try #require(SessionID(key: 1))
        try await now.writeUnchecked { try $0.recordRevocation(of: session, .signedOut) }
        now.close()
        let former = try store(steps: Self.stepsBeforePositions)
        try await end(2...5, in: former)
        try await former.number(.sessionEnds)
        try await former.writeUnchecked {
            _ = try $0.execute("DELETE FROM session_end WHERE number < 4")
        }
        former.close()
        let again = try store(steps: SessionTables.migrations.count)
        // The former version has sent number 4 as a position.
        let missed = try await again.read { try $0.revocations(after: 4, countMax: 10) }
        #expect(missed.map(\.position) == [5] && missed.map(\.session.key) == [5])
        #expect(try await again.read { try $0.lastRevocation() } == 5)
        again.close()
    }
}
