import Contracts
import Cryptography
import HTTPSink
import JSON
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Text messages through providers")
struct SMSDeliveryTests {
    private static let secret = "a secret of thirty-two bytes, ok"

    @Test("N-02: without a provider a code goes to the inbox, once for each key")
    func inbox() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let id = try await fixture.sendCode()
        #expect(try await fixture.sendCode() == id)
        try await fixture.delivering { try await fixture.until(sent: 1) }
        #expect(fixture.inbox.map(\.to) == [SMSAndPushFixture.number])
        #expect(fixture.inbox.first?.text.contains("482913 is your Postern code") == true)
        await #expect(throws: ServiceError.self) { try await fixture.sendCode(code: "000000") }
        await fixture.close()
    }

    @Test("N-02: Twilio gets number, text, sender and validity; the code is deleted from the store")
    func twilio() async throws {
        let sink = try await HTTPSink { _ in .answer(201, body: #"{"sid":"SM1"}"#) }
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder(), twilio(sink))
        let expiresAt = fixture.time.now() + .seconds(300)
        try await fixture.sendCode(expiresAtMs: expiresAt.milliseconds)
        try await fixture.delivering { try await fixture.until(sent: 1) }
        let request = try #require(sink.requests.first)
        #expect(request.path == "/2010-04-01/Accounts/AC1/Messages.json")
        // Base64 of "SK1:token".
        #expect(request.headers["authorization"] == "Basic U0sxOnRva2Vu")
        let text = "482913%20is%20your%20Postern%20code%2C%20valid%20for%2010%20min."
        #expect(
            request.text == "To=%2B4915112345621&From=%2B15005550006&Body=\(text)"
                + "%20Do%20not%20share%20it%20with%20anyone.&ValidityPeriod=300")
        #expect(
            try await fixture.ask("SELECT count(*) FROM message WHERE content IS NOT NULL")
                == [.integer(0)])
        #expect(!fixture.log.lines.contains { $0.contains("482913") || $0.contains("15112345621") })
        await fixture.close()
        await sink.close()
    }

    @Test("N-02: the webhook request is signed with its time and carries an idempotency key")
    func webhook() async throws {
        let sink = try await HTTPSink { _ in .answer(204) }
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder(), webhook(sink))
        let id = try await fixture.sendCode()
        try await fixture.delivering { try await fixture.until(sent: 1) }
        let request = try #require(sink.requests.first)
        let timestamp = try #require(request.headers["postern-timestamp"])
        #expect(timestamp == "\(fixture.time.now().seconds)")
        let hash = KeyedHash(key: SecretBytes(copying: Self.secret.utf8))
        let wanted = Hex.encode(hash.hash(Array("\(timestamp).".utf8) + request.body))
        #expect(request.headers["postern-signature"] == "v1=\(wanted)")
        #expect(request.headers["idempotency-key"] == id)
        let object = try #require(JSONReader.object(in: request.body))
        #expect(object["id"] == .string(id) && object["to"] == .string(SMSAndPushFixture.number))
        await fixture.close()
        await sink.close()
    }

    @Test("N-03: the second provider is used when the first one fails")
    func failover() async throws {
        let first = try await HTTPSink { _ in .answer(500) }
        let second = try await HTTPSink { _ in .answer(204) }
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder(), both(first, second))
        try await fixture.sendCode()
        try await fixture.delivering { try await fixture.until(sent: 1) }
        #expect(first.requests.count == 1 && second.requests.count == 1)
        await fixture.close()
        await first.close()
        await second.close()
    }

    @Test("N-03: a provider whose breaker is open is skipped, and the next one gets every message")
    func breaker() async throws {
        let first = try await HTTPSink { _ in .answer(503) }
        let second = try await HTTPSink { _ in .answer(204) }
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder(), both(first, second))
        for _ in 0..<30 { #expect(try await fixture.attempt(.sms(order())) == .taken) }
        // Ten failures open the breaker (CircuitBreaker), and the clock does not advance.
        #expect(first.requests.count == 10 && second.requests.count == 30)
        await fixture.close()
        await first.close()
        await second.close()
    }

    @Test("N-03: with all breakers open no attempt is counted, and the route says when it is ready")
    func allOpen() async throws {
        let sink = try await HTTPSink { _ in .answer(503) }
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder(), webhook(sink))
        for _ in 0..<10 {
            #expect(
                try await fixture.attempt(.sms(order()))
                    == .failed("sms-webhook-503", retryAfter: nil))
        }
        let route = try #require(fixture.routes[.sms])
        guard case .closed(let until) = route.readiness else {
            Issue.record("a route without a provider is ready")
            return
        }
        #expect(until > fixture.time.now())
        guard case .unavailable("breaker-open", _) = try await fixture.attempt(.sms(order())) else {
            Issue.record("an open breaker let an attempt pass")
            return
        }
        #expect(sink.requests.count == 10)
        await fixture.close()
        await sink.close()
    }

    @Test("N-03: with all breakers open a message waits for the provider that opens first")
    func firstToOpen() async throws {
        let first = try await HTTPSink { _ in .answer(503) }
        let second = try await HTTPSink { request in
            .answer(request.text.contains("5555") ? 204 : 503)
        }
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder(), both(first, second))
        for _ in 0..<10 {
            #expect(try await fixture.attempt(.sms(order("+495555555555"))) == .taken)
        }
        // The probe of the first fails, so it stays closed for two seconds; the second, which fails
        // ten times only now, for one.
        fixture.time.advance(by: CircuitBreaker.firstWait)
        for _ in 0..<10 {
            #expect(
                try await fixture.attempt(.sms(order()))
                    == .failed("sms-webhook-503", retryAfter: nil))
        }
        let route = try #require(fixture.routes[.sms])
        guard case .closed(let until) = route.readiness else {
            Issue.record("a route without a provider is ready")
            return
        }
        #expect(until - fixture.time.now() < CircuitBreaker.firstWait * 2)
        #expect(
            try await fixture.attempt(.sms(order())) == .unavailable("breaker-open", until: until))
        #expect(first.requests.count == 11 && second.requests.count == 20)
        await fixture.close()
        await first.close()
        await second.close()
    }

    @Test("an invalid number or text is not passed on to the next provider")
    func ownFault() async throws {
        let first = try await HTTPSink { request in
            request.text.contains("5555")
                ? .answer(400, body: #"{"code":21211}"#)
                : .answer(400, body: #"{"code":21617}"#)
        }
        let second = try await HTTPSink { _ in .answer(204) }
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder(), both(first, second))
        #expect(
            try await fixture.attempt(.sms(order("+495555555555")))
                == .refused("twilio-21211", addressIsDead: true))
        #expect(
            try await fixture.attempt(.sms(order()))
                == .refused("twilio-21617", addressIsDead: false)
        )
        #expect(second.requests.isEmpty)
        await fixture.close()
        await first.close()
        await second.close()
    }

    @Test("a number reported as dead is suppressed for one day")
    func deadNumber() async throws {
        let sink = try await HTTPSink { _ in .answer(410) }
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder(), webhook(sink))
        try await fixture.sendCode(key: "a")
        try await fixture.delivering {
            try await fixture.until(
                "SELECT count(*) FROM message WHERE state = 4", gives: .integer(1))
        }
        #expect(
            try await fixture.attempt(.sms(order()))
                == .refused("number-stopped", addressIsDead: false))
        #expect(sink.requests.count == 1)
        fixture.time.advance(by: .seconds(24 * 3_600))
        #expect(
            try await fixture.attempt(.sms(order()))
                == .refused("sms-webhook-410", addressIsDead: true))
        await fixture.close()
        await sink.close()
    }

    @Test("a number reported as changed is recorded, and the message counts as sent")
    func changedNumber() async throws {
        let sink = try await HTTPSink { _ in .answer(200, body: #"{"number_changed":true}"#) }
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder(), webhook(sink))
        #expect(try await fixture.attempt(.sms(order())) == .taken)
        #expect(
            try await fixture.ask("SELECT kind FROM audit WHERE subject IS NOT NULL")
                == [.text("message.number-changed")])
        await fixture.close()
        await sink.close()
    }

    @Test("a provider that stalls is abandoned at its deadline, and the next one is used")
    func stalled() async throws {
        let first = try await HTTPSink { _ in .stall }
        let second = try await HTTPSink { _ in .answer(204) }
        var settings = both(first, second)
        settings["provider-timeout"] = "2s"
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder(), settings)
        #expect(try await fixture.attempt(.sms(order())) == .taken)
        #expect(first.requests.count == 1 && second.requests.count == 1)
        await fixture.close()
        await first.close()
        await second.close()
    }

    @Test(
        "a text that cannot be sent is rejected, and the error names the invalid field",
        arguments: [
            (
                NotificationV1.SendTextRequest(recipient: "0151", template: "phone-code"),
                "recipient"
            ),
            (.init(recipient: "+4915112345678", template: "nonsense"), "template"),
            (.init(recipient: "+4915112345678", template: "phone-code"), "variables.code"),
            (
                .init(
                    recipient: "+4915112345678", template: "phone-code",
                    variables: [
                        .init(name: "code", value: "see evil.example"),
                        .init(name: "minutes", value: "5"),
                    ]), "variables.code"
            ),
            (
                .init(
                    recipient: "+4915112345678", template: "phone-code", language: "de\n",
                    variables: [
                        .init(name: "code", value: "1234"), .init(name: "minutes", value: "5"),
                    ]), "language"
            ),
        ])
    func refused(_ request: NotificationV1.SendTextRequest, _ field: String) async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        let error = await #expect(throws: ServiceError.self) {
            try await fixture.texts.sendText(request, fixture.context())
        }
        #expect(error?.code == .invalidArgument && error?.fields == [field])
        await fixture.close()
    }

    // MARK: settings and orders

    private func order(_ number: String = SMSAndPushFixture.number) -> SMSOrder {
        SMSOrder(
            recipient: number, templateName: "phone-code", lane: .security, language: "en",
            variables: [
                OrderPair(name: "code", value: "482913"), OrderPair(name: "minutes", value: "10"),
            ], expiresAt: nil, account: nil)
    }

    private func twilio(_ sink: HTTPSink) -> [String: String] {
        [
            "provider-plaintext": "true", "sms-providers": "twilio",
            "sms-twilio-url": sink.url(""), "sms-twilio-account": "AC1", "sms-twilio-key": "SK1",
            "sms-twilio-secret": "token", "sms-twilio-sender": "+15005550006",
        ]
    }

    private func webhook(_ sink: HTTPSink) -> [String: String] {
        [
            "provider-plaintext": "true", "sms-providers": "webhook",
            "sms-webhook-url": sink.url("/sms"), "sms-webhook-secret": Self.secret,
            "sms-rate": "1000",
        ]
    }

    private func both(_ first: HTTPSink, _ second: HTTPSink) -> [String: String] {
        var settings = twilio(first).merging(webhook(second)) { own, _ in own }
        settings["sms-providers"] = "twilio,webhook"
        return settings
    }
}
