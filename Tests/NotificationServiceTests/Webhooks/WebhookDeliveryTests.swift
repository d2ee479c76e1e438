import Contracts
import Cryptography
import HTTPSink
import Hosting
import Messages
import RPC
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@testable import NotificationService

@Suite("Delivery of events to webhooks", .timeLimit(.minutes(2)))
struct WebhookDeliveryTests {
    private static func types(_ sink: HTTPSink) -> [String] {
        sink.requests.map { request in
            request.text.split(separator: "\"").dropFirst(3).first.map(String.init) ?? ""
        }
    }

    @Test("an event is sent signed, with its account; events before the webhook was added are not")
    func arrives() async throws {
        let sink = try await HTTPSink { _ in .answer(204) }
        let fixture = try WebhookFixture(in: TemporaryFolder())
        try await fixture.happen(.accountRegistered, account: 1)
        try await fixture.working {
            let added = try await fixture.add(sink.url("/hook"))
            try await fixture.happen(.sessionStarted, account: 2)
            try await fixture.until { sink.requests.count == 1 }
            let request = try #require(sink.requests.first)
            #expect(request.path == "/hook")
            #expect(request.headers["content-type"] == "application/json")
            #expect(request.text.hasPrefix(#"{"type":"session.started","timestamp":"2026-"#))
            #expect(request.text.contains(#""account_id":"acc_0000000000002""#))
            let id = try #require(request.headers["webhook-id"])
            let seconds = try #require(request.headers["webhook-timestamp"].flatMap { Int64($0) })
            let bytes = try #require(Base64.decode(Array(added.secret.dropFirst(6).utf8)))
            let expected = WebhookSecret(bytes: bytes).signature(
                id: id, seconds: seconds, body: request.body)
            #expect(request.headers["webhook-signature"] == expected)
        }
        fixture.close()
        await sink.close()
    }

    @Test("an event says how and from where, and what it does not have is left out")
    func details() async throws {
        let sink = try await HTTPSink { _ in .answer(204) }
        let fixture = try WebhookFixture(in: TemporaryFolder())
        try await fixture.working {
            _ = try await fixture.add(sink.url("/"))
            var event = AuditEvent(.sessionEnded, detail: .end(.maximumAge))
            event.country = "DE"
            event.agent = "firefox 131, linux"
            try await fixture.happen(event)
            try await fixture.happen(.accountRegistered)
            try await fixture.until { sink.requests.count == 2 }
        }
        let details = #""detail":"maximum-age","country":"DE","agent":"firefox 131, linux"}}"#
        let texts = sink.requests.map(\.text)
        #expect(texts.contains { $0.hasSuffix(details) }, "\(texts)")
        #expect(texts.contains { $0.hasSuffix(#""data":{"position":2}}"#) }, "\(texts)")
        fixture.close()
        await sink.close()
    }

    @Test("one account's events stay in order during a retry; other accounts do not wait")
    func order() async throws {
        let refusals = Count(2)
        let sink = try await HTTPSink { request in
            guard request.text.contains("session.started"), request.text.contains("0000001\"")
            else { return .answer(200) }
            return .answer(refusals.takeOne() ? 503 : 200)
        }
        let fixture = try WebhookFixture(in: TemporaryFolder())
        try await fixture.working {
            _ = try await fixture.add(sink.url("/"), events: ["session.*"])
            try await fixture.happen(.sessionStarted, account: 1)
            try await fixture.happen(.sessionEnded, account: 1)
            try await fixture.happen(.sessionStarted, account: 2)
            try await fixture.happen(.limitReached)
            try await fixture.happen(.sessionEnded, account: 2)
            try await fixture.until { sink.requests.count == 6 }
        }
        Self.checkOrder(sink.requests)
        fixture.close()
        await sink.close()
    }

    private static func checkOrder(_ requests: [HTTPSink.Request]) {
        let first = requests.filter { $0.text.contains("0000001\"") }
        let started = first.map { $0.text.contains("session.started") }
        #expect(started == [true, true, true, false])
        let ids = Set(first.prefix(3).compactMap { $0.headers["webhook-id"] })
        #expect(ids.count == 1)
        let other = requests.firstIndex { $0.text.contains("0000002\"") }
        #expect(other.map { $0 < 3 } == true)
    }

    @Test("a receiver that answers 410 is paused until the operator resumes it")
    func gone() async throws {
        let refusals = Count(1)
        let sink = try await HTTPSink { _ in .answer(refusals.takeOne() ? 410 : 200) }
        let fixture = try WebhookFixture(in: TemporaryFolder())
        try await fixture.working {
            let id = try await fixture.add(sink.url("/")).webhook?.webhookId ?? ""
            try await fixture.happen(.sessionStarted, account: 1)
            try await fixture.untilStore("SELECT is_paused FROM webhook", .integer(1))
            _ = try await fixture.webhooks.pauseWebhook(
                NotificationV1.PauseWebhookRequest(webhookId: id, paused: false), fixture.context())
            try await fixture.until { sink.requests.count >= 2 }
            #expect(Self.types(sink).prefix(2) == ["session.started", "session.started"])
        }
        fixture.close()
        await sink.close()
    }

    @Test("the list of webhooks and the log say in words why an attempt failed")
    func reason() async throws {
        let fixture = try WebhookFixture(in: TemporaryFolder())
        let sink = try await HTTPSink { _ in .reset }
        try await fixture.working {
            _ = try await fixture.add(sink.url("/"))
            try await fixture.happen(.sessionStarted, account: 1)
            try await fixture.untilStore(
                "SELECT count(*) FROM webhook WHERE last_failure IS NOT NULL", .integer(1))
            try await fixture.until {
                fixture.log.lines.contains { $0.contains("webhook.delivery.failed") }
            }
            let listed = try await fixture.webhooks.listWebhooks(
                NotificationV1.ListWebhooksRequest(), fixture.context())
            let reason = "the connection broke, or its answer is not HTTP"
            #expect(listed.webhooks.map(\.lastFailure) == [reason])
            let lines = fixture.log.lines.filter { $0.contains("webhook.delivery.failed") }
            #expect(lines.allSatisfy { $0.contains(reason) })
        }
        fixture.close()
        await sink.close()
    }

    @Test(
        "after three days of failures an event is given up and recorded, and the next one is sent")
    func givenUp() async throws {
        let fixture = try WebhookFixture(in: TemporaryFolder())
        let sink = try await HTTPSink { _ in .reset }
        try await fixture.working {
            _ = try await fixture.add(sink.url("/"))
            try await fixture.happen(.sessionStarted, account: 1)
            try await fixture.untilStore("SELECT count(*) FROM webhook_delivery", .integer(1))
            for _ in 0..<200 {
                fixture.time.advance(by: .seconds(3_600))
                try? await Task.sleep(for: .milliseconds(2))
            }
            try await fixture.untilStore("SELECT count(*) FROM webhook_delivery", .integer(0))
            try await fixture.untilStore(
                "SELECT count(*) FROM audit WHERE kind = 'webhook.given-up'", .integer(1))
        }
        fixture.close()
        await sink.close()
    }

    @Test("a restart loses and repeats no event; a replay sends the same ids in order")
    func restartAndReplay() async throws {
        let folder = try TemporaryFolder()
        let time = ManualTime()
        let sink = try await HTTPSink { _ in .answer(200) }
        let first = try WebhookFixture(in: folder, time: time)
        var id = ""
        try await first.working {
            id = try await first.add(sink.url("/")).webhook?.webhookId ?? ""
            for _ in 0..<3 { try await first.happen(.sessionRefreshed, account: 1) }
            try await first.until { sink.requests.count == 3 }
            // Recorded too: an attempt that is cut off before that is made again.
            try await first.untilStore("SELECT count(*) FROM webhook_delivery", .integer(0))
        }
        try await first.happen(.sessionEnded, account: 1)
        first.close()
        let second = try WebhookFixture(in: folder, time: time, seed: 2)
        try await second.working {
            try await second.until { sink.requests.count == 4 }
            #expect(Self.types(sink).last == "session.ended")
            let ids = sink.requests.compactMap { $0.headers["webhook-id"] }
            #expect(Set(ids).count == 4)
            // An attempt that is recorded later would take the replay's delivery for its own.
            try await second.untilStore("SELECT count(*) FROM webhook_delivery", .integer(0))
            let replayed = try await second.webhooks.replayWebhook(
                NotificationV1.ReplayWebhookRequest(webhookId: id, after: 0), second.context())
            #expect(replayed.events == 4)
            try await second.until { sink.requests.count == 8 }
            #expect(sink.requests.suffix(4).compactMap { $0.headers["webhook-id"] } == ids)
        }
        second.close()
        await sink.close()
    }

    @Test("an event that waited for a week is dropped, and the next one is sent")
    func forgotten() async throws {
        let sink = try await HTTPSink { _ in .answer(200) }
        let fixture = try WebhookFixture(in: TemporaryFolder())
        try await fixture.working {
            let id = try await fixture.add(sink.url("/")).webhook?.webhookId ?? ""
            try await fixture.pause(id, true)
            try await fixture.happen(.sessionStarted, account: 1)
            try await fixture.untilStore("SELECT count(*) FROM webhook_delivery", .integer(1))
            fixture.time.advance(by: .seconds(5 * 24 * 3_600))
            try await fixture.happen(.sessionEnded, account: 1)
            try await fixture.untilStore("SELECT count(*) FROM webhook_delivery", .integer(2))
            fixture.time.advance(by: .seconds(3 * 24 * 3_600))
            try await fixture.untilStore("SELECT count(*) FROM webhook_delivery", .integer(1))
            try await fixture.pause(id, false)
            try await fixture.until { sink.requests.count == 1 }
            #expect(Self.types(sink) == ["session.ended"])
        }
        fixture.close()
        await sink.close()
    }

    @Test("events that are deleted for their age are counted without their deliveries")
    func forgottenAreCounted() async throws {
        let sink = try await HTTPSink { _ in .answer(200) }
        let fixture = try WebhookFixture(in: TemporaryFolder())
        try await fixture.working {
            let id = try await fixture.add(sink.url("/")).webhook?.webhookId ?? ""
            try await fixture.pause(id, true)
            for _ in 0..<2 { try await fixture.happen(.sessionStarted, account: 1) }
            try await fixture.untilStore("SELECT count(*) FROM webhook_delivery", .integer(2))
            let count = try await fixture.store.writeUnchecked {
                try $0.forgetEvents(importedBefore: $0.at + .seconds(1), limit: 500)
            }
            #expect(count == 2)
            try await fixture.untilStore("SELECT count(*) FROM webhook_delivery", .integer(0))
        }
        fixture.close()
        await sink.close()
    }

    @Test("a webhook gets no event from before it was added, even if another one was removed then")
    func between() async throws {
        let sink = try await HTTPSink { _ in .answer(200) }
        let fixture = try WebhookFixture(in: TemporaryFolder())
        try await fixture.working {
            let id = try await fixture.add(sink.url("/")).webhook?.webhookId ?? ""
            _ = try await fixture.webhooks.removeWebhook(
                NotificationV1.RemoveWebhookRequest(webhookId: id), fixture.context())
            try await fixture.happen(.sessionStarted, account: 1)
            _ = try await fixture.add(sink.url("/"))
            try await fixture.happen(.sessionEnded, account: 1)
            try await fixture.until { sink.requests.count == 1 }
            #expect(Self.types(sink) == ["session.ended"])
        }
        fixture.close()
        await sink.close()
    }

    @Test("what was read of a feed for a webhook that is removed meanwhile is not for the next one")
    func readForFormer() async throws {
        let sink = try await HTTPSink { _ in .answer(200) }
        let fixture = try WebhookFixture(in: TemporaryFolder())
        func queued() async throws -> [SQLValue] {
            try await fixture.store.read {
                try $0.query(
                    "SELECT (SELECT count(*) FROM webhook_delivery) "
                        + "+ (SELECT count(*) FROM event_origin)"
                ) { $0.values.first ?? .null }
            }
        }
        @Sendable func added() async throws -> String {
            try await fixture.webhooks.addWebhook(
                NotificationV1.AddWebhookRequest(url: sink.url("/")), fixture.context()
            ).webhook?.webhookId ?? ""
        }
        let former = try await added()
        let feed = EventFeed(store: fixture.session, time: fixture.time)
        let logger = fixture.log.logger(time: fixture.time)
        func intake(_ whenRead: @escaping @Sendable () async throws -> Void) -> EventIntake {
            EventIntake(
                sources: [EventSource(.session, InterruptedFeed(feed: feed, whenRead: whenRead))],
                store: fixture.store, time: fixture.time,
                randomness: SeededRandomness(seed: 2), logger: logger)
        }
        _ = try await intake {}.importEvents()
        #expect(try await queued() == [.integer(1)])
        try await fixture.happen(.sessionStarted, account: 1)
        fixture.time.advance(by: .seconds(5))
        let isAgain = try await intake {
            _ = try await fixture.webhooks.removeWebhook(
                NotificationV1.RemoveWebhookRequest(webhookId: former), fixture.context())
            _ = try await added()
        }.importEvents()
        #expect(isAgain)
        #expect(try await queued() == [.integer(0)])
        fixture.close()
        await sink.close()
    }

    /// A feed during whose reading something happens.
    private struct InterruptedFeed: FeedOnly {
        let feed: EventFeed
        let whenRead: @Sendable () async throws -> Void

        func readEvents(
            _ request: EventsV1.ReadEventsRequest, _ context: CallContext
        ) async throws -> EventsV1.ReadEventsResponse {
            let answer = try await feed.readEvents(request, context)
            try await whenRead()
            return answer
        }
    }

    @Test("after a rotation the old and the new secret sign for one day")
    func rotation() async throws {
        let sink = try await HTTPSink { _ in .answer(200) }
        let fixture = try WebhookFixture(in: TemporaryFolder())
        try await fixture.working {
            let id = try await fixture.add(sink.url("/")).webhook?.webhookId ?? ""
            _ = try await fixture.webhooks.rotateWebhookSecret(
                NotificationV1.RotateWebhookSecretRequest(webhookId: id), fixture.context())
            try await fixture.happen(.sessionStarted, account: 1)
            try await fixture.until { sink.requests.count == 1 }
            fixture.time.advance(by: .seconds(25 * 3_600))
            try await fixture.happen(.sessionEnded, account: 1)
            try await fixture.until { sink.requests.count == 2 }
            let signatures = sink.requests.compactMap { request in
                request.headers["webhook-signature"]?.split(separator: " ").count
            }
            #expect(signatures == [2, 1])
        }
        fixture.close()
        await sink.close()
    }

    @Test("a webhook on a private address is refused when it is added, and the setting is named")
    func privateHost() async throws {
        let fixture = try WebhookFixture(in: TemporaryFolder(), targets: .public)
        let error = await #expect(throws: ServiceError.self) {
            try await fixture.webhooks.addWebhook(
                NotificationV1.AddWebhookRequest(url: "https://10.0.0.1/hook"), fixture.context())
        }
        #expect(error?.fields == ["url"])
        #expect(error?.detail.contains("webhook-targets=any") == true)
        let count = try await fixture.store.read { try $0.webhooks().count }
        #expect(count == 0)
        fixture.close()
    }

    @Test("only the operator's tool may call these rpcs; an invalid URL is rejected")
    func rights() async throws {
        let fixture = try WebhookFixture(in: TemporaryFolder())
        await #expect(throws: CallContext.onlyOperators) {
            try await fixture.webhooks.listWebhooks(
                NotificationV1.ListWebhooksRequest(), fixture.context("identity"))
        }
        await #expect(throws: ServiceError.self) {
            try await fixture.webhooks.addWebhook(
                NotificationV1.AddWebhookRequest(url: "https://example.org/#x"), fixture.context())
        }
        fixture.close()
    }
}

/// A counter that counts down to zero.
private final class Count: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    func takeOne() -> Bool {
        left.withLock { left in
            left -= 1
            return left >= 0
        }
    }
}
