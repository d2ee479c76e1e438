import FoundationEssentials
import Outbound
import SMTPSink
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Delivery of accepted messages")
struct DeliveryWorkerTests {
    @Test(
        "N-01: with default settings a mail arrives in the inbox, and its content is then deleted")
    func inbox() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let id = try await fixture.send()
        try await fixture.delivering { try await fixture.until(sent: 1) }
        let mail = try #require(fixture.inbox.first)
        #expect(fixture.inbox.count == 1)
        #expect(mail.to == NotificationFixture.recipient)
        #expect(mail.fields["message-id"] == "<\(id)@localhost>")
        #expect(mail.text.contains(NotificationFixture.link))
        #expect(try await fixture.ask("SELECT content FROM message") == [.null])
        #expect(
            try await fixture.ask("SELECT kind FROM audit ORDER BY number")
                == [.text("message.accepted"), .text("message.sent")])
        #expect(
            try await fixture.ask("SELECT detail FROM audit ORDER BY number")
                == [.text("email verify-email"), .text("email verify-email")])
        #expect(!fixture.log.lines.contains { $0.contains("canary") })
    }

    @Test("a mail accepted while the worker is idle is sent at once")
    func rings() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        try await fixture.delivering {
            await fixture.time.sleepers()
            try await fixture.send()
            try await fixture.until(sent: 1)
        }
        #expect(fixture.inbox.count == 1)
    }

    @Test("N-01: a hundred mails are sent over SMTP, once each, while more are being accepted")
    func smtp() async throws {
        let sink = try SMTPSink()
        let (route, client) = try NotificationFixture.route(to: sink)
        let fixture = try NotificationFixture(in: TemporaryFolder(), route: route)
        try await fixture.delivering {
            for number in 0..<100 {
                try await fixture.send(
                    NotificationFixture.request(to: "p\(number)@example.org"), key: "\(number)")
            }
            try await fixture.until(sent: 100)
        }
        #expect(sink.mails.count == 100)
        #expect(Set(sink.mails.map(\.to)).count == 100)
        await client.close()
        sink.close()
    }

    @Test(
        "after 451 the same bytes are sent again, with backoff, until the server accepts the mail")
    func backoff() async throws {
        var script = SMTPSink.Script()
        script.ending = .answer("451 not now")
        let sink = try SMTPSink(script)
        let (route, client) = try NotificationFixture.route(to: sink)
        let fixture = try NotificationFixture(in: TemporaryFolder(), route: route)
        try await fixture.send()
        try await fixture.delivering {
            for attempt in 1...4 {
                try await fixture.until(
                    "SELECT attempts FROM message WHERE state = 2",
                    gives: .integer(Int64(attempt)))
                #expect(sink.mails.count == attempt)
                if attempt == 4 { sink.script.ending = .answer("250 now") }
                await fixture.time.sleepers()
                fixture.time.advance(by: .seconds(2 << (attempt - 1)))
            }
            try await fixture.until(sent: 1)
        }
        #expect(sink.mails.count == 5)
        #expect(Set(sink.mails.map(\.bytes)).count == 1)
        #expect(fixture.log.lines.contains { $0.contains("smtp-451") })
        await client.close()
        sink.close()
    }

    @Test("after 550 the message is dead, its content is deleted and the reason is recorded")
    func refused() async throws {
        var script = SMTPSink.Script()
        script.recipient = "550 no such person ada.canary@example.org"
        let sink = try SMTPSink(script)
        let (route, client) = try NotificationFixture.route(to: sink)
        let fixture = try NotificationFixture(in: TemporaryFolder(), route: route)
        try await fixture.send()
        try await fixture.delivering {
            try await fixture.until("SELECT state FROM message", gives: .integer(4))
        }
        #expect(try await fixture.ask("SELECT reason FROM message") == [.text("smtp-550")])
        #expect(try await fixture.ask("SELECT content FROM message") == [.null])
        #expect(
            try await fixture.ask("SELECT kind FROM audit WHERE outcome IS NOT NULL")
                == [.text("message.dead")])
        #expect(
            try await fixture.ask("SELECT detail FROM audit WHERE kind = 'message.dead'")
                == [.text("email verify-email")])
        #expect(!fixture.log.lines.contains { $0.contains("canary") })
        await client.close()
        sink.close()
    }

    @Test("a connection dropped after the message is retried with the same Message-ID")
    func dropped() async throws {
        var script = SMTPSink.Script()
        script.ending = .drop
        let sink = try SMTPSink(script)
        let (route, client) = try NotificationFixture.route(to: sink)
        let fixture = try NotificationFixture(in: TemporaryFolder(), route: route)
        try await fixture.send()
        try await fixture.delivering {
            try await fixture.until("SELECT state FROM message", gives: .integer(2))
            sink.script.ending = .answer("250 taken")
            await fixture.time.sleepers()
            fixture.time.advance(by: Delivery.unansweredWait)
            try await fixture.until(sent: 1)
        }
        #expect(sink.mails.count == 2)
        #expect(Set(sink.mails.map(\.bytes)).count == 1)
        await client.close()
        sink.close()
    }

    @Test("N-05: a link that has expired is not sent")
    func expired() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let expiresAt = fixture.time.now() + .seconds(60)
        try await fixture.send(NotificationFixture.request(expiresAtMs: expiresAt.milliseconds))
        fixture.time.advance(by: .seconds(60))
        try await fixture.delivering {
            try await fixture.until("SELECT state FROM message", gives: .integer(4))
        }
        #expect(fixture.inbox.isEmpty)
        #expect(try await fixture.ask("SELECT content FROM message") == [.null])
    }

    @Test(
        "a message that expires while it waits is logged, watched, and erased from the store's log",
        .timeLimit(.minutes(1)))
    func expiryIsReported() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder(), engine: SQLiteEngine())
        let expiresAt = fixture.time.now() + .seconds(60)
        let text = try await fixture.send(
            NotificationFixture.request(expiresAtMs: expiresAt.milliseconds))
        let id = try #require(MessageID(text: text))
        // What a start truncates; from here on only what ends does.
        try await fixture.delivery.log.truncate()
        let (reports, report) = AsyncStream.makeStream(of: [MessageID].self)
        let watcher = Task {
            try await fixture.delivery.changes.watch { report.yield($0.messages) }
        }
        defer { watcher.cancel() }
        var updates = reports.makeAsyncIterator()
        let start = await updates.next()
        #expect(start == [])
        fixture.time.advance(by: .seconds(60))
        try await fixture.delivering {
            try await fixture.until("SELECT state FROM message", gives: .integer(4))
        }
        let changed = await updates.next()
        #expect(changed == [id])
        let isLogged = fixture.log.lines.contains {
            $0.contains("notification.message.dead") && $0.contains("expired")
        }
        #expect(isLogged)
        try await fixture.delivery.log.truncate()
        let log = URL(filePath: fixture.folder.file("notification.sqlite-wal"))
        #expect(try Data(contentsOf: log).isEmpty)
    }

    @Test("an attempt that failed does not truncate the store's log: nothing was deleted")
    func failureKeepsLog() async throws {
        let route = RecordingRoute { _ in .failed("test") }
        let fixture = try NotificationFixture(
            in: TemporaryFolder(), routes: [.email: route], engine: SQLiteEngine())
        try await fixture.delivery.log.truncate()
        try await fixture.send()
        try await fixture.delivering {
            try await fixture.until("SELECT state FROM message", gives: .integer(2))
        }
        try await fixture.delivery.log.truncate()
        let log = URL(filePath: fixture.folder.file("notification.sqlite-wal"))
        #expect(try !Data(contentsOf: log).isEmpty)
    }

    @Test("N-05: a mail whose subject is too long waits with a reason of its own, which is logged")
    func notRendered() async throws {
        let folder = try TemporaryFolder()
        let subject = String(repeating: "x", count: HeaderText.bytesMax)
        _ = try folder.write(
            "Subject: \(subject){{device}}\n\nx\n", to: "session-displaced.en.mail")
        let fixture = try NotificationFixture(
            in: TemporaryFolder(), environment: ["POSTERN_TEMPLATE_FOLDER": folder.path])
        try await fixture.send(NotificationFixture.notice(to: "a@example.org"), key: "1")
        try await fixture.send(NotificationFixture.notice(to: "b@example.org"), key: "2")
        try await fixture.delivering {
            try await fixture.until(
                "SELECT count(*) FROM message WHERE state = 2 AND reason = 'not-rendered'",
                gives: .integer(2))
        }
        let lines = fixture.log.lines.filter { $0.contains("notification.mail.render.failed") }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("session-displaced") == true)
        #expect(fixture.inbox.isEmpty)
    }

    @Test("a message that cannot be decrypted waits: a wrong key file must not lose mails")
    func wrongKey() async throws {
        let folder = try TemporaryFolder()
        let time = ManualTime()
        let right = try NotificationFixture(in: folder, time: time)
        try await right.send()
        right.store.close()
        let wrong = try NotificationFixture(in: folder, time: time, masterSeed: 100)
        try await wrong.delivering {
            try await wrong.until("SELECT state FROM message", gives: .integer(2))
        }
        wrong.store.close()
        let again = try NotificationFixture(in: folder, time: time)
        time.advance(by: .seconds(10))
        try await again.delivering { try await again.until(sent: 1) }
        #expect(again.inbox.count == 1)
    }

    @Test("G-25: an idempotency key is stored for seven days after delivery, then deleted")
    func forgets() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let first = try await fixture.send()
        try await fixture.delivering { try await fixture.until(sent: 1) }
        fixture.time.advance(by: .seconds(7 * 86_400))
        try await fixture.purge()
        #expect(try await fixture.send() == first)
        fixture.time.advance(by: .milliseconds(1))
        try await fixture.purge()
        #expect(try await fixture.ask("SELECT count(*) FROM message") == [.integer(0)])
        #expect(try await fixture.send() != first)
    }
}
