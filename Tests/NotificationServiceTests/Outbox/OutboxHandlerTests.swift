import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("The operator's rpcs on messages")
struct OutboxHandlerTests {
    private typealias Summary = NotificationV1.MessageSummary

    private static let refusing = RecordingRoute { _ in .refused("smtp-550", addressIsDead: false) }

    /// A fixture with one message that the provider rejected.
    private func refused(expiresAt: Duration? = nil) async throws -> (NotificationFixture, String) {
        let fixture = try NotificationFixture(
            in: TemporaryFolder(), routes: [.email: Self.refusing])
        let end = expiresAt.map { (fixture.time.now() + $0).milliseconds } ?? 0
        let id = try await fixture.send(NotificationFixture.request(expiresAtMs: end))
        try await fixture.delivering {
            try await fixture.until("SELECT state FROM message", gives: .integer(4))
        }
        return (fixture, id)
    }

    private func show(
        _ fixture: NotificationFixture, _ id: String
    ) async throws -> NotificationV1.ShowMessageResponse {
        try await fixture.outbox.showMessage(
            .init(messageId: id), fixture.context(from: "tool"))
    }

    @Test("a message is shown with its recipient masked, its failed attempts, and no content")
    func shown() async throws {
        let (fixture, id) = try await refused()
        let answer = try await show(fixture, id)
        let message = try #require(answer.message)
        #expect(message.recipient == "a…@e….org")
        #expect(message.state == .dead)
        #expect(message.lane == .requested)
        #expect(message.channel == .email)
        #expect(message.reason == "smtp-550")
        #expect(message.canBeRetried)
        #expect(answer.failedTries.map(\.reason) == ["smtp-550"])
        #expect(answer.failedTries.map(\.attempt) == [1])
        #expect(!"\(answer)".contains("canary"))
        await #expect(throws: ServiceError.self) { try await show(fixture, "msg_0000000000001") }
    }

    @Test("A-04: messages that are dead or wait are counted by state, for the metrics")
    func counted() async throws {
        let (fixture, _) = try await refused()
        _ = try await fixture.send(key: "k-2")
        let metrics = MetricsRegistry()
        try await OutboxMetrics(of: fixture.store, in: metrics).count()
        let page = metrics.prometheusText()
        #expect(page.contains("postern_messages{state=\"dead\"} 1\n"))
        #expect(page.contains("postern_messages{state=\"queued\"} 1\n"))
        #expect(page.contains("postern_messages{state=\"waiting\"} 0\n"))
    }

    @Test("N-03: a dead message can be retried: it is sent once, under its own id")
    func retried() async throws {
        let (fixture, id) = try await refused()
        fixture.store.close()
        let route = RecordingRoute()
        let again = try NotificationFixture(
            in: fixture.folder, time: fixture.time, routes: [.email: route])
        again.time.advance(by: .seconds(3 * 86_400))
        let tool = again.context(from: "tool")
        let answer = try await again.outbox.retryMessage(.init(messageId: id), tool)
        #expect(answer.message?.state == .queued)
        try await again.delivering { try await again.until(sent: 1) }
        #expect(route.messages.map(\.id.text) == [id])
        let once = try await again.outbox.retryMessage(.init(messageId: id), tool)
        #expect(once.message?.state == .sent)
        #expect(try await again.ask("SELECT count(*) FROM dead_letter") == [.integer(0)])
    }

    @Test("an expired message cannot be retried")
    func expired() async throws {
        let (fixture, id) = try await refused(expiresAt: .seconds(60))
        #expect(try await show(fixture, id).message?.canBeRetried == true)
        fixture.time.advance(by: .seconds(60))
        #expect(try await show(fixture, id).message?.canBeRetried == false)
        let answer = try await fixture.outbox.retryMessage(
            .init(messageId: id), fixture.context(from: "tool"))
        #expect(answer.message?.state == .dead)
    }

    @Test("the content of a dead message is deleted after seven days")
    func retention() async throws {
        let (fixture, _) = try await refused()
        #expect(try await fixture.ask("SELECT count(*) FROM dead_letter") == [.integer(1)])
        fixture.time.advance(by: .seconds(7 * 86_400))
        try await fixture.purge()
        #expect(try await fixture.ask("SELECT count(*) FROM dead_letter") == [.integer(1)])
        fixture.time.advance(by: .milliseconds(1))
        try await fixture.purge()
        #expect(try await fixture.ask("SELECT count(*) FROM dead_letter") == [.integer(0)])
    }

    @Test("a discarded message is not sent and loses its content; discarding again changes nothing")
    func discarded() async throws {
        let route = RecordingRoute()
        let fixture = try NotificationFixture(in: TemporaryFolder(), routes: [.email: route])
        let id = try await fixture.send()
        let tool = fixture.context(from: "tool")
        for _ in 0..<2 {
            let answer = try await fixture.outbox.discardMessage(.init(messageId: id), tool)
            #expect(answer.message?.state == .dead)
            #expect(answer.message?.reason == "discarded")
            #expect(answer.message?.canBeRetried == false)
        }
        await fixture.delivering { await fixture.time.sleepers() }
        #expect(route.messages.isEmpty)
        #expect(try await fixture.ask("SELECT content FROM message") == [.null])
    }

    @Test("discarding a message that is being sent changes nothing")
    func discardedWhileSending() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let id = try await fixture.send()
        _ = try await fixture.store.writeUnchecked { try $0.claimMails(1) }
        let answer = try await fixture.outbox.discardMessage(
            .init(messageId: id), fixture.context(from: "tool"))
        #expect(answer.message?.state == .sending)
        #expect(
            try await fixture.ask("SELECT count(*) FROM message WHERE content IS NULL")
                == [.integer(0)])
    }

    @Test("pages list every message once, newest first")
    func pages() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        var ids: [String] = []
        for number in 0..<25 {
            let to = number % 5 == 0 ? "bob@other.net" : NotificationFixture.recipient
            ids.append(
                try await fixture.send(NotificationFixture.request(to: to), key: "\(number)"))
        }
        var request = NotificationV1.ListMessagesRequest(pageSize: 10)
        var found: [Summary] = []
        repeat {
            let page = try await fixture.outbox.listMessages(
                request, fixture.context(from: "tool"))
            found += page.messages
            request.page = page.nextPage
        } while !request.page.isEmpty
        #expect(found.map(\.messageId) == ids.reversed())
        for bob in ["b…@o….net", "bob@other.net"] {
            let bobs = try await fixture.outbox.listMessages(
                .init(state: .queued, channel: .email, recipient: bob),
                fixture.context(from: "tool"))
            #expect(bobs.messages.count == 5)
        }
        let none = try await fixture.outbox.listMessages(
            .init(state: .dead), fixture.context(from: "tool"))
        #expect(none.messages.isEmpty)
    }

    @Test("A-02: forgetting an account removes its messages in every state, and no other account's")
    func forgotten() async throws {
        let fixture = try NotificationFixture(
            in: TemporaryFolder(), routes: [.email: Self.refusing])
        let randomness = SeededRandomness(seed: 5)
        let (ada, eve) = (AccountID.drawn(from: randomness), AccountID.drawn(from: randomness))
        let pushDevices = PushDevicesHandler(
            settings: try NotificationFixture.settings([:]), store: fixture.store,
            keys: fixture.keys,
            randomness: randomness)
        for (account, token) in [(ada, "a"), (eve, "b")] {
            _ = try await pushDevices.register(
                .init(accountId: account.text, platform: .fcm, token: token),
                fixture.context(from: "identity"))
        }
        try await fixture.send(NotificationFixture.request(account: ada), key: "1")
        try await fixture.send(NotificationFixture.request(account: eve), key: "2")
        try await fixture.delivering {
            try await fixture.until(
                "SELECT count(*) FROM message WHERE state = 4", gives: .integer(2))
        }
        try await fixture.send(NotificationFixture.request(account: ada), key: "3")
        for _ in 0..<2 {
            _ = try await fixture.outbox.forgetAccount(
                .init(accountId: ada.text), fixture.context(from: "identity"))
        }
        for table in ["dead_letter", "failed_try"] {
            #expect(try await fixture.ask("SELECT count(*) FROM \(table)") == [.integer(1)])
        }
        let remains =
            "account_hash IS NOT NULL OR length(recipient_hash) > 0 OR recipient <> '…'"
        #expect(
            try await fixture.ask("SELECT count(*) FROM message WHERE \(remains)") == [.integer(1)])
        #expect(
            try await fixture.ask("SELECT count(*) FROM message WHERE content IS NOT NULL")
                == [.integer(0)])
        // A repeat from identity's outbox gets the stored response, and nothing is sent.
        try await fixture.send(NotificationFixture.request(account: ada), key: "3")
        #expect(try await fixture.ask("SELECT count(*) FROM message") == [.integer(3)])
        #expect(
            try await fixture.ask("SELECT count(*) FROM message WHERE due_at_ms IS NOT NULL")
                == [.integer(0)])
        #expect(
            try await fixture.ask("SELECT account_hash FROM push_device")
                == [.blob(fixture.keys.account(eve))])
    }

    @Test("only the operator's tool may call these rpcs; identity may call ForgetAccount")
    func rights() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let outbox = fixture.outbox
        let id = try await fixture.send()
        for application in ["identity", "gateway", "app", ""] {
            let context = fixture.context(from: application)
            let denied = CallContext.onlyOperators
            await #expect(throws: denied) { try await outbox.listMessages(.init(), context) }
            await #expect(throws: denied) {
                try await outbox.showMessage(.init(messageId: id), context)
            }
            await #expect(throws: denied) {
                try await outbox.retryMessage(.init(messageId: id), context)
            }
            await #expect(throws: denied) {
                try await outbox.discardMessage(.init(messageId: id), context)
            }
            await #expect(throws: denied) {
                for try await _ in outbox.watchMessages(.init(), context) {}
            }
        }
        for application in ["gateway", "session", ""] {
            await #expect(throws: CallContext.onlyAccountKeepers) {
                try await outbox.forgetAccount(
                    .init(accountId: "acc_0000000000001"), fixture.context(from: application))
            }
        }
    }

    @Test("WatchMessages sends the count for each state first, then every change")
    func watched() async throws {
        let fixture = try NotificationFixture(
            in: TemporaryFolder(), routes: [.email: Self.refusing])
        let first = try await fixture.send(key: "1")
        let items = fixture.outbox.watchMessages(.init(), fixture.context(from: "tool"))
        let updates = items.makeAsyncIterator()
        let start = try #require(try await updates.next())
        #expect(start.counts == [.init(state: .queued, count: 1)])
        #expect(start.changes.isEmpty)
        let second = try await fixture.send(key: "2")
        await fixture.time.sleepers()
        fixture.time.advance(by: .milliseconds(500))
        let next = try #require(try await updates.next())
        #expect(next.changes.map(\.messageId) == [second])
        #expect(next.counts == [.init(state: .queued, count: 2)])
        #expect(first != second)
    }
}
