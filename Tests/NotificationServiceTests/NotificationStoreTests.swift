import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("The notification store")
struct NotificationStoreTests {
    /// - Parameter attempts: 0 for a message that is queued, 1 for one that was being sent when the
    ///   earlier version was killed. That version wrote no holder.
    @Test(
        "a message that any earlier version accepted, or was sending, is delivered by this version",
        arguments: 1..<NotificationStore.migrations.count, [Int64(0), 1])
    func upgrade(_ version: Int, attempts: Int64) async throws {
        let folder = try TemporaryFolder()
        let time = ManualTime()
        let id = MessageID.drawn(from: SeededRandomness(seed: 4))
        do {
            let old = try TestStore.open(
                NotificationStore.name, Array(NotificationStore.migrations.prefix(version)),
                in: folder.path, time: time)
            let keys = try NotificationKeys(
                master: .generate(count: 32, randomness: SeededRandomness(seed: 99)),
                randomness: SeededRandomness(seed: 5))
            let content = try keys.contents.seal(
                NotificationFixture.request().encoded(), at: .content(of: id))
            try await old.writeUnchecked { transaction in
                _ = try transaction.execute(
                    """
                    INSERT INTO message (
                        id, call_hash, fingerprint, recipient_hash, template, state, attempts,
                        accepted_at_ms, due_at_ms, content)
                    VALUES (?, x'01', x'02', x'03', 'verify-email', ?, ?, ?, ?, ?)
                    """,
                    [
                        .integer(id.key), .integer(attempts), .integer(attempts),
                        SQLValue(transaction.at),
                        SQLValue(transaction.at + Delivery.lease * Int(attempts)), .blob(content),
                    ])
            }
            old.close()
        }
        let fixture = try NotificationFixture(in: folder, time: time)
        try await fixture.delivering { try await fixture.until(sent: 1) }
        #expect(fixture.inbox.count == 1)
        let shown = try await fixture.outbox.showMessage(
            .init(messageId: id.text), fixture.context(from: "tool"))
        #expect(shown.message?.recipient == "…")
    }

    @Test("events get larger positions than in the version before, also if its events were deleted")
    func eventPositions() async throws {
        let folder = try TemporaryFolder()
        let former = NotificationStore.migrations.prefix { !$0.sql.contains("feed_head") }
        func open(_ migrations: [Migration]) throws -> Store {
            try TestStore.open(NotificationStore.name, migrations, in: folder.path)
        }
        let old = try open(Array(former))
        try await old.writeUnchecked { transaction in
            for id in 1...3 {
                try transaction.put(
                    """
                    INSERT INTO event (id, origin, lane, at_ms, kind, kept_from_ms)
                    VALUES (?, 2, 1, 1, 'session.ended', 1)
                    """, [.integer(Int64(id))])
            }
            try transaction.execute("DELETE FROM event")
        }
        old.close()
        let new = try open(NotificationStore.migrations)
        let event = try #require(
            ServiceEvent(
                EventsV1.Event(position: 9, atMs: 1, kind: "session.ended"), from: .session))
        let id = EventID.drawn(from: SeededRandomness(seed: 4))
        #expect(try await new.writeUnchecked { try $0.insert(event, id: id) } == 4)
        new.close()
    }

    @Test("M7: warnings that an earlier version accepted move to the security lane")
    func upgradedLanes() async throws {
        let folder = try TemporaryFolder()
        let time = ManualTime()
        let old = try TestStore.open(
            NotificationStore.name, Array(NotificationStore.migrations.prefix(7)), in: folder.path,
            time: time)
        let rows = [
            ("reset-password", 1, 0), ("email-already-registered", 1, 0), ("phone-code", 2, 0),
            ("new-device", 3, 0), ("session-displaced", 1, 1), ("welcome", 1, 2),
        ]
        try await old.writeUnchecked { transaction in
            for (number, row) in rows.enumerated() {
                let key = Int64(number + 1)
                try transaction.put(
                    """
                    INSERT INTO message (
                        id, call_hash, fingerprint, recipient_hash, template, state, attempts,
                        accepted_at_ms, due_at_ms, content, channel, lane)
                    VALUES (?1, ?2, x'02', x'03', ?3, 0, 0, 1, 1, x'04', ?4, ?5)
                    """,
                    [
                        .integer(key), .blob([UInt8(number)]), .text(row.0), .integer(Int64(row.1)),
                        .integer(Int64(row.2)),
                    ])
            }
        }
        old.close()
        let fixture = try NotificationFixture(in: folder, time: time)
        let lanes = try await fixture.store.read { session in
            try session.query("SELECT \(StoredMessage.columns) FROM message ORDER BY id", []) {
                try StoredMessage($0).lane
            }
        }
        #expect(lanes == [.requested, .security, .requested, .security, .notice, .bulk])
    }

    @Test("claiming is one search of one index: nothing is sorted, no table is scanned")
    func plan() async throws {
        // A server's plan depends on the number of rows.
        let folder = try TemporaryFolder()
        let store = try TestStore.open(
            NotificationStore.name, NotificationStore.migrations, in: folder.path,
            engine: SQLiteEngine())
        defer { store.close() }
        let plan = try await store.read { session in
            try session.query(
                """
                EXPLAIN QUERY PLAN SELECT \(StoredMessage.columns) FROM message
                WHERE channel = 1 AND lane = 0 AND is_warning = 1 AND due_at_ms <= 5
                ORDER BY due_at_ms LIMIT 8
                """
            ) { try $0.text(3) }
        }
        #expect(
            plan == [
                """
                SEARCH message USING INDEX message_turn \
                (channel=? AND lane=? AND is_warning=? AND due_at_ms<?)
                """
            ])
    }

    @Test("ids increase, even within a millisecond and when the clock is set back")
    func ids() {
        let time = ManualTime()
        let ids = MessageAcceptance.IDGenerator(time: time, randomness: SeededRandomness(seed: 8))
        var last = ids.next()
        for number in 0..<10_000 {
            if number % 100 == 0 { time.advance(by: .milliseconds(1)) }
            if number == 5_000 { time.startAgain(at: time.now() - .seconds(15)) }
            let next = ids.next()
            #expect(next.key > last.key)
            last = next
        }
    }
}
