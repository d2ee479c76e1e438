import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Rows of the notification service that expire are deleted")
struct NotificationPurgesTests {
    @Test("an expired row of each table goes, and one that lives stays")
    func all() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let now = fixture.time.now().milliseconds
        let rows = [(1, Int64(1)), (2, now + 1_000)].flatMap { number, moment in
            [
                "dead_letter (id, content, kept_until_ms) VALUES (\(number), x'', \(moment))",
                """
                push_call (call_hash, fingerprint, message_ids, at_ms)
                VALUES (x'0\(number)', x'', x'', \(moment))
                """,
                """
                stopped_address (address_hash, reason, stopped_at_ms)
                VALUES (x'0\(number)', '', \(moment))
                """,
                """
                stopped_number (recipient_hash, reason, until_ms)
                VALUES (x'0\(number)', '', \(moment))
                """,
            ]
        }
        try await fixture.store.writeUnchecked { transaction in
            for row in rows { try transaction.execute("INSERT INTO \(row)") }
        }
        try await fixture.purge()
        for table in ["dead_letter", "push_call", "stopped_address", "stopped_number"] {
            #expect(
                try await fixture.ask("SELECT count(*) FROM \(table)") == [.integer(1)], "\(table)")
        }
        fixture.store.close()
    }

    @Test("I-08: the record of a message is kept as long as messages-kept says")
    func messages() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        try await fixture.send()
        let day: Duration = .seconds(86_400)
        let settings = try NotificationFixture.settings(["POSTERN_MESSAGES_KEPT": "1d"])
        #expect(settings.messageRetention == day)
        try await fixture.store.writeUnchecked {
            _ = try $0.execute(
                "UPDATE message SET state = 3, due_at_ms = NULL, content = NULL, ended_at_ms = ?",
                [SQLValue($0.at)])
        }
        let tables = NotificationStore.purges(endedMessagesFor: settings.messageRetention)
        let purges = Purges(of: fixture.store, tables, time: fixture.time)
        fixture.time.advance(by: day)
        while try await purges.step() {}
        #expect(try await fixture.ask("SELECT count(*) FROM message") == [.integer(1)])
        fixture.time.advance(by: .milliseconds(1))
        while try await purges.step() {}
        #expect(try await fixture.ask("SELECT count(*) FROM message") == [.integer(0)])
    }

    @Test("events for webhooks are deleted after seven days, with their deliveries")
    func events() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let now = fixture.time.now().milliseconds
        try await fixture.store.writeUnchecked { transaction in
            try transaction.execute(
                """
                INSERT INTO webhook (id, target, secret, events, created_at_ms)
                VALUES (1, x'', x'', '', 1)
                """)
            for (position, moment) in [(1, now), (2, now + 60_000)] {
                try transaction.execute(
                    """
                    INSERT INTO event (position, id, origin, lane, at_ms, kind, kept_from_ms)
                    VALUES (\(position), \(position), 1, 1, 1, 'x', \(moment))
                    """)
                try transaction.execute(
                    """
                    INSERT INTO webhook_delivery (webhook, lane, event, since_ms)
                    VALUES (1, 1, \(position), 1)
                    """)
            }
        }
        fixture.time.advance(by: NotificationStore.eventRetention + .milliseconds(1))
        let duty = NotificationStore.forgettingEvents(in: fixture.store)
        let duties = Duties(of: fixture.store, purging: [], [duty], time: fixture.time)
        let work = Task { await duties.run() }
        // The purge sleeps too.
        await fixture.time.sleepers(2)
        work.cancel()
        await work.value
        #expect(try await fixture.ask("SELECT position FROM event") == [.integer(2)])
        #expect(try await fixture.ask("SELECT event FROM webhook_delivery") == [.integer(2)])
        #expect(
            try await fixture.ask("SELECT due_at_ms IS NULL FROM webhook_delivery") == [.integer(0)]
        )
        fixture.store.close()
    }
}
