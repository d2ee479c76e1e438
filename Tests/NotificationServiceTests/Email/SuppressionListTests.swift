import Messages
import Outbound
import SMTPSink
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Suppression list")
struct SuppressionListTests {
    @Test("a hard bounce suppresses the address in every spelling: later mails end unsent")
    func stops() async throws {
        let (fixture, sink, client) = try fixture()
        try await fixture.send()
        try await fixture.delivering {
            try await fixture.until(
                "SELECT count(*) FROM message WHERE state = 4", gives: .integer(1))
            sink.script.recipient = "250 ok"
            let other = NotificationFixture.request(to: "Ada.CANARY@Example.org")
            #expect(try await fixture.send(other, key: "k-2").hasPrefix("msg_"))
            try await fixture.until(
                "SELECT count(*) FROM message WHERE state = 4", gives: .integer(2))
            try await fixture.send(NotificationFixture.request(to: "grace@example.org"), key: "k-3")
            try await fixture.until(sent: 1)
        }
        #expect(sink.mails.map(\.to) == ["RCPT TO:<grace@example.org>"])
        #expect(
            try await fixture.ask("SELECT reason FROM message WHERE state = 4 ORDER BY id")
                == [.text("smtp-550-5.1.1"), .text("address-stopped")])
        #expect(
            try await fixture.ask("SELECT count(*) FROM audit WHERE kind = 'address.stopped'")
                == [.integer(1)])
        #expect(!fixture.log.lines.contains { $0.contains("canary") })
        await client.close()
        sink.close()
    }

    @Test("a rejection for another reason does not suppress the address")
    func otherReason() async throws {
        let (fixture, sink, client) = try fixture("550 5.7.1 your mail looks like spam")
        try await fixture.send()
        try await fixture.delivering {
            try await fixture.until("SELECT state FROM message", gives: .integer(4))
        }
        #expect(try await fixture.ask("SELECT count(*) FROM stopped_address") == [.integer(0)])
        await client.close()
        sink.close()
    }

    @Test("a suppression ends when the operator releases it, or after 90 days")
    func ends() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let list = SuppressionList(store: fixture.store, keys: fixture.keys, time: fixture.time)
        let adas = try #require(MailAddress("ada@example.org"))
        let graces = try #require(MailAddress("grace@example.org"))
        let ada = fixture.keys.recipient(adas.canonical)
        let grace = fixture.keys.recipient(graces.canonical)
        try await fixture.store.writeUnchecked { transaction in
            try transaction.suppressAddress(ada, reason: "smtp-550-5.1.1")
            try transaction.suppressAddress(ada, reason: "smtp-550-5.2.1")
            try transaction.suppressAddress(grace, reason: "smtp-550-5.1.1")
        }
        #expect(try await list.contains(adas))
        #expect(try await fixture.store.writeUnchecked { try $0.releaseAddress([ada]) })
        #expect(try await !list.contains(adas))
        #expect(try await !fixture.store.writeUnchecked { try $0.releaseAddress([ada]) })
        fixture.time.advance(by: SuppressionList.suppressedFor - .seconds(1))
        #expect(try await list.contains(graces))
        fixture.time.advance(by: .seconds(1))
        #expect(try await !list.contains(graces))
        fixture.time.advance(by: .seconds(1))
        try await fixture.store.writeUnchecked {
            try $0.suppressAddress(ada, reason: "smtp-550-5.1.1")
        }
        #expect(try await fixture.ask("SELECT count(*) FROM stopped_address") == [.integer(2)])
        try await fixture.purge()
        #expect(try await fixture.ask("SELECT count(*) FROM stopped_address") == [.integer(1)])
        #expect(
            try await fixture.ask("SELECT count(*) FROM audit WHERE kind = 'address.released'")
                == [.integer(1)])
    }

    @Test("an address that an earlier version stored by its text stays suppressed until released")
    func stoppedAsWritten() async throws {
        let (fixture, sink, client) = try fixture()
        sink.script.recipient = "250 ok"
        let address = "Ada.Canary@Example.org"
        // As that version stored it: the keyed hash of the text, with its capitals.
        let row: [SQLValue] = [
            .blob(fixture.keys.recipient(Array(address.utf8))), SQLValue(fixture.time.now()),
        ]
        try await fixture.store.writeUnchecked { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO stopped_address (address_hash, reason, stopped_at_ms)
                VALUES (?, 'smtp-550-5.1.1', ?)
                """, row)
        }
        let handler = AddressesHandler(store: fixture.store, keys: fixture.keys, time: fixture.time)
        let tool = fixture.context(from: "tool")
        let shown = try await handler.showAddress(.init(email: address), tool)
        #expect(shown.isStopped && shown.reason == "smtp-550-5.1.1")
        try await fixture.send(NotificationFixture.request(to: address))
        try await fixture.delivering {
            try await fixture.until(
                "SELECT count(*) FROM message WHERE state = 4", gives: .integer(1))
            let released = try await handler.releaseAddress(.init(email: address), tool)
            #expect(released.wasStopped)
            try await fixture.send(NotificationFixture.request(to: address), key: "k-2")
            try await fixture.until(sent: 1)
        }
        #expect(
            try await fixture.ask("SELECT reason FROM message WHERE state = 4")
                == [.text("address-stopped")])
        #expect(sink.mails.map(\.to) == ["RCPT TO:<\(address)>"])
        #expect(try await fixture.ask("SELECT count(*) FROM stopped_address") == [.integer(0)])
        await client.close()
        sink.close()
    }

    @Test("of two entries, for the text and for the mailbox, the latest is shown")
    func stoppedTwice() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let address = try #require(MailAddress("Ada@Example.org"))
        let hashes = fixture.keys.suppressionHashes(of: address)
        #expect(hashes.count == 2)
        let written = try #require(hashes.last)
        try await fixture.store.writeUnchecked {
            try $0.suppressAddress(written, reason: "smtp-550-5.1.1")
        }
        fixture.time.advance(by: .seconds(1))
        let canonical = fixture.keys.recipient(address.canonical)
        try await fixture.store.writeUnchecked {
            try $0.suppressAddress(canonical, reason: "smtp-550-5.2.1")
        }
        let now = fixture.time.now()
        let stop = try await fixture.store.read { try $0.suppression(of: hashes, at: now) }
        #expect(stop?.reason == "smtp-550-5.2.1")
        #expect(try await fixture.store.writeUnchecked { try $0.releaseAddress(hashes) })
        #expect(try await fixture.ask("SELECT count(*) FROM stopped_address") == [.integer(0)])
    }

    private func fixture(
        _ word: String = "550 5.1.1 no such person ada.canary@example.org"
    ) throws -> (fixture: NotificationFixture, sink: SMTPSink, client: SMTPClient) {
        var script = SMTPSink.Script()
        script.recipient = word
        let sink = try SMTPSink(script)
        let (route, client) = try NotificationFixture.route(to: sink)
        return (try NotificationFixture(in: TemporaryFolder(), route: route), sink, client)
    }
}
