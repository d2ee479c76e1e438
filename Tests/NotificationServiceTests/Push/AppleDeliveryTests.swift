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

@Suite("Push messages through Apple's APNs")
struct AppleDeliveryTests {
    private static let token = String(repeating: "0a1b", count: 16)
    /// Made for these tests only.
    static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgN69a41olqY7sfzK7
        H7YFy7b5BxtF9UdorUA24TH22UWhRANCAARp1dquIooJ6vA7GlIwZYm09oE6XCVH
        IAMluMe/ROBQhfyxsG8ADqPpmogZQIWU1JL0ySdJlIwNmf6BoqVwqMr9
        -----END PRIVATE KEY-----

        """

    private let folder: TemporaryFolder
    private let tls: HTTPSink.TLS

    init() throws {
        folder = try TemporaryFolder()
        let authority = try TestAuthority(now: SystemTime().now())
        try folder.write(authority.pem, to: "trust.pem")
        let files = try authority.issue([.address(127, 0, 0, 1)]).write(to: folder, as: "server")
        tls = HTTPSink.TLS(chain: files.chain, key: files.key)
    }

    private func fixture(_ sink: HTTPSink) throws -> SMSAndPushFixture {
        try SMSAndPushFixture(
            in: folder,
            [
                "provider-trust-file": folder.file("trust.pem"),
                "push-apns-key-file": try folder.write(Self.pem, to: "AuthKey.p8"),
                "push-apns-key-id": "KEYID12345", "push-apns-team": "TEAMID1234",
                "push-apns-topics": "com.example.app,com.example.other",
                "push-apns-url": sink.secureURL(""), "push-apns-sandbox-url": sink.secureURL(""),
            ])
    }

    @Test("N-02: a push goes over HTTP/2 with topic, id, expiry, priority and a provider token")
    func message() async throws {
        let sink = try await HTTPSink(tls: tls) { _ in .answer(200) }
        let fixture = try fixture(sink)
        let ada = try SMSAndPushFixture.account(1)
        try await fixture.register(Self.token, of: ada, on: .apns, app: "com.example.other")
        let ids = try await fixture.push(to: ada)
        try await fixture.delivering { try await fixture.until(sent: 1) }
        let request = try #require(sink.requests.first)
        #expect(request.version == 2 && request.path == "/3/device/\(Self.token)")
        #expect(request.headers["apns-topic"] == "com.example.other")
        #expect(request.headers["apns-push-type"] == "alert")
        #expect(request.headers["apns-priority"] == "5")
        let id = try #require(MessageID(text: ids[0]))
        #expect(request.headers["apns-id"] == APNs.identifier(of: id))
        #expect(
            request.text
                == #"{"aps":{"alert":{"title":"Hello","body":"You have mail."},"sound":"default"},"screen":"inbox","postern_message":"\#(ids[0])"}"#
        )
        try expectToken(request, fixture)
        await fixture.close()
        await sink.close()
    }

    @Test("the provider token is reused for forty minutes, and dropped if Apple rejects it")
    func renewed() async throws {
        let sink = try await HTTPSink(tls: tls) { request in
            request.text.contains("refuse")
                ? .answer(403, body: #"{"reason":"ExpiredProviderToken"}"#) : .answer(200)
        }
        let fixture = try fixture(sink)
        let order = try await order(fixture)
        #expect(try await fixture.attempt(.push(order)) == .taken)
        fixture.time.advance(by: .seconds(40 * 60 - 1))
        #expect(try await fixture.attempt(.push(order)) == .taken)
        fixture.time.advance(by: .seconds(1))
        #expect(try await fixture.attempt(.push(order)) == .taken)
        let refused = try await self.order(fixture, title: "refuse")
        #expect(try await fixture.attempt(.push(refused)) == .failed("apns-ExpiredProviderToken"))
        #expect(try await fixture.attempt(.push(order)) == .taken)
        let tokens = sink.requests.map { $0.headers["authorization"] }
        #expect(tokens[0] == tokens[1] && tokens[1] != tokens[2])
        #expect(tokens[2] == tokens[3] && tokens[3] != tokens[4])
        await fixture.close()
        await sink.close()
    }

    @Test("N-04: a device that Apple reports as gone is removed, unless it registered since")
    func gone() async throws {
        let time = ManualTime().now()
        let before = time - .seconds(60)
        let sink = try await HTTPSink(tls: tls) { request in
            let moment = request.text.contains("Old news") ? before : time
            let body = #"{"reason":"Unregistered","timestamp":\#(moment.milliseconds)}"#
            return .answer(410, body: body)
        }
        let fixture = try fixture(sink)
        let ada = try SMSAndPushFixture.account(1)
        try await fixture.register(Self.token, of: ada, on: .apns)
        try await fixture.push(to: ada, title: "Old news", key: "a")
        try await fixture.delivering {
            try await fixture.until(
                "SELECT count(*) FROM message WHERE state = 2", gives: .integer(1))
        }
        #expect(try await fixture.devices(of: ada).count == 1)
        try await fixture.push(to: ada, title: "News", key: "b")
        try await fixture.delivering {
            try await fixture.until(
                "SELECT count(*) FROM message WHERE state = 4", gives: .integer(1))
        }
        #expect(try await fixture.devices(of: ada).isEmpty)
        await fixture.close()
        await sink.close()
    }

    @Test("concurrent messages share one connection; one that stalls delays no other")
    func multiplexed() async throws {
        let sink = try await HTTPSink(tls: tls) { request in
            request.text.contains("stall") ? .stall : .answer(200)
        }
        let fixture = try fixture(sink)
        let order = try await order(fixture)
        #expect(try await fixture.attempt(.push(order)) == .taken)
        let stalled = try await self.order(fixture, title: "stall")
        let waiting = Task { try await fixture.attempt(.push(stalled)) }
        await sink.reached(requests: 2)
        try await withThrowingTaskGroup(of: DeliveryOutcome.self) { group in
            for number in 1...10 {
                group.addTask { try await fixture.attempt(.push(order), id: Int64(number)) }
            }
            for try await outcome in group { #expect(outcome == .taken) }
        }
        #expect(sink.connections == 1)
        waiting.cancel()
        #expect(try await waiting.value == .failed("cancelled"))
        await fixture.close()
        await sink.close()
    }

    // MARK: tokens and orders

    private func expectToken(_ request: HTTPSink.Request, _ fixture: SMSAndPushFixture) throws {
        let text = try #require(request.headers["authorization"])
        #expect(text.hasPrefix("bearer "))
        let parts = text.dropFirst("bearer ".count).split(separator: ".")
        let header = try #require(
            Base64URL.decode(parts[0].utf8).flatMap { JSONReader.object(in: $0) })
        let claims = try #require(
            Base64URL.decode(parts[1].utf8).flatMap { JSONReader.object(in: $0) })
        #expect(header["alg"] == .string("ES256") && header["kid"] == .string("KEYID12345"))
        #expect(claims["iss"] == .string("TEAMID1234"))
        #expect(claims["iat"] == .integer(fixture.time.now().seconds))
        let key = try SigningKey(pem: SecretBytes(copying: Self.pem.utf8)).verifyingKey
        let signature = try #require(Base64URL.decode(parts[2].utf8))
        #expect(key.verifies(signature, of: Array("\(parts[0]).\(parts[1])".utf8)))
    }

    private func order(_ fixture: SMSAndPushFixture, title: String = "t") async throws -> PushOrder
    {
        let ada = try SMSAndPushFixture.account(1)
        let device = try await fixture.register(Self.token, of: ada, on: .apns).deviceId
        return PushOrder(
            owner: ada, device: try #require(PushDeviceID(text: device)).key, templateName: "",
            lane: .notice, language: "", title: title, body: "b")
    }
}
