import Contracts
import Cryptography
import HTTPSink
import JSON
import Messages
import ServiceRuntime
import Storage
import Synchronization
import TestSupport
import Testing

@testable import NotificationService

@Suite("Push messages through Google's FCM")
struct GoogleDeliveryTests {
    /// A sink that serves both of Google's endpoints: the access tokens and the messages.
    private static func sink(
        expiresIn: Int = 3_599, _ send: @escaping @Sendable (HTTPSink.Request) -> HTTPSink.Answer
    ) async throws -> HTTPSink {
        let count = Mutex(0)
        return try await HTTPSink { request in
            guard request.path == "/token" else { return send(request) }
            let number = count.withLock { count in
                count += 1
                return count
            }
            let token = #"{"access_token":"token-\#(number)","expires_in":\#(expiresIn)}"#
            return .answer(200, body: token)
        }
    }

    @Test("N-04: a device of a platform without a provider cannot be registered")
    func otherPlatform() async throws {
        let sink = try await Self.sink { _ in .answer(200) }
        let fixture = try fixture(sink)
        let error = await #expect(throws: ServiceError.self) {
            try await fixture.register(
                String(repeating: "ab", count: 32), of: SMSAndPushFixture.account(1), on: .apns)
        }
        #expect(error?.code == .operationNotAllowed)
        try await fixture.register("token", of: SMSAndPushFixture.account(1))
        await fixture.close()
        await sink.close()
    }

    private func fixture(_ sink: HTTPSink, time: ManualTime = ManualTime()) throws
        -> SMSAndPushFixture
    {
        let folder = try TemporaryFolder()
        let account = JSONWriter.text([
            "type": .string("service_account"), "project_id": .string("tea-and-cake"),
            "private_key_id": .string("key-1"), "private_key": .string(RSAVectors.pem + "\n"),
            "client_email": .string("push@tea-and-cake.example"),
            "token_uri": .string(sink.url("/token")),
        ])
        return try SMSAndPushFixture(
            in: folder,
            [
                "provider-plaintext": "true", "push-fcm-url": sink.url(""),
                "push-fcm-account-file": try folder.write(account, to: "account.json"),
                "provider-timeout": "5s", "deliveries-max": "64",
            ], time: time)
    }

    @Test("N-02: a push carries its text, data, id and time to live, with Google's access token")
    func message() async throws {
        let sink = try await Self.sink { _ in .answer(200, body: #"{"name":"x"}"#) }
        let fixture = try fixture(sink)
        let ada = try SMSAndPushFixture.account(1)
        try await fixture.register("device-token", of: ada)
        let ids = try await fixture.push(to: ada)
        try await fixture.delivering { try await fixture.until(sent: 1) }
        let request = try #require(sink.requests.last)
        #expect(request.path == "/v1/projects/tea-and-cake/messages:send")
        #expect(request.headers["authorization"] == "Bearer token-1")
        #expect(
            request.text
                == #"{"message":{"token":"device-token","notification":{"title":"Hello","body":"You have mail."},"data":{"screen":"inbox","postern_message":"\#(ids[0])"},"android":{"ttl":"2419200s","priority":"NORMAL"}}}"#
        )
        await fixture.close()
        await sink.close()
    }

    @Test("the access token is requested with a signed assertion in Google's format")
    func assertion() async throws {
        let sink = try await Self.sink { _ in .answer(200) }
        let fixture = try fixture(sink)
        #expect(try await attempt(fixture) == .taken)
        let request = try #require(sink.requests.first)
        let form = request.text.split(separator: "&").map(String.init)
        #expect(form[0] == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer")
        let parts = form[1].dropFirst("assertion=".count).split(separator: ".")
        let header = try #require(
            Base64URL.decode(parts[0].utf8).flatMap { JSONReader.object(in: $0) })
        let claims = try #require(
            Base64URL.decode(parts[1].utf8).flatMap { JSONReader.object(in: $0) })
        #expect(header["alg"] == .string("RS256") && header["kid"] == .string("key-1"))
        #expect(claims["iss"] == .string("push@tea-and-cake.example"))
        #expect(claims["aud"] == .string(sink.url("/token")))
        #expect(
            claims["scope"] == .string("https://www.googleapis.com/auth/firebase.messaging"))
        let now = fixture.time.now().seconds
        #expect(claims["iat"] == .integer(now) && claims["exp"] == .integer(now + 3_600))
        let key = try RSASigningKey(pem: SecretBytes(copying: RSAVectors.pem.utf8))
        let signature = try #require(Base64URL.decode(parts[2].utf8))
        #expect(
            try RSAVerifyingKey(publicDER: key.publicDER)
                .verifies(signature, of: Array("\(parts[0]).\(parts[1])".utf8)))
        await fixture.close()
        await sink.close()
    }

    @Test("forty concurrent messages share one access token; it is renewed before it expires")
    func cached() async throws {
        let sink = try await Self.sink { _ in .answer(200) }
        let fixture = try fixture(sink)
        let ada = try SMSAndPushFixture.account(1)
        let device = try await fixture.register("token", of: ada).deviceId
        let order = try Self.order(ada, device)
        try await withThrowingTaskGroup(of: DeliveryOutcome.self) { group in
            for number in 1...40 {
                group.addTask { try await fixture.attempt(.push(order), id: Int64(number)) }
            }
            for try await outcome in group { #expect(outcome == .taken) }
        }
        #expect(sink.requests.count { $0.path == "/token" } == 1)
        fixture.time.advance(by: .seconds(3_298))
        #expect(try await fixture.attempt(.push(order)) == .taken)
        #expect(sink.requests.count { $0.path == "/token" } == 1)
        fixture.time.advance(by: .seconds(2))
        #expect(try await fixture.attempt(.push(order)) == .taken)
        #expect(sink.requests.count { $0.path == "/token" } == 2)
        #expect(sink.requests.last?.headers["authorization"] == "Bearer token-2")
        await fixture.close()
        await sink.close()
    }

    @Test("an access token that Google rejects is discarded; without a token nothing is sent")
    func refusedToken() async throws {
        let sink = try await Self.sink { request in
            .answer(request.headers["authorization"] == "Bearer token-1" ? 401 : 200)
        }
        let fixture = try fixture(sink)
        #expect(try await attempt(fixture) == .failed("fcm-401"))
        #expect(try await attempt(fixture) == .taken)
        await fixture.close()
        await sink.close()
        let silent = try await HTTPSink { _ in .answer(400, body: #"{"error":"invalid_grant"}"#) }
        let other = try self.fixture(silent)
        #expect(try await attempt(other) == .failed("fcm-token-400"))
        #expect(silent.requests.allSatisfy { $0.path == "/token" })
        await other.close()
        await silent.close()
    }

    @Test("N-04: a device that Google reports as gone is removed; other devices get messages")
    func gone() async throws {
        let sink = try await Self.sink { request in
            request.text.contains("dead-token")
                ? .answer(
                    404,
                    body: #"{"error":{"details":[{"errorCode":"UNREGISTERED"}]}}"#)
                : .answer(200)
        }
        let fixture = try fixture(sink)
        let ada = try SMSAndPushFixture.account(1)
        try await fixture.register("dead-token", of: ada)
        let live = try await fixture.register("live-token", of: ada).deviceId
        #expect(try await fixture.push(to: ada).count == 2)
        try await fixture.delivering {
            try await fixture.until(
                "SELECT count(*) FROM message WHERE state IN (3, 4)", gives: .integer(2))
        }
        #expect(try await fixture.devices(of: ada).map(\.pushDeviceId) == [live])
        #expect(
            try await fixture.ask("SELECT reason FROM message WHERE state = 4")
                == [.text("fcm-UNREGISTERED")])
        #expect(try await fixture.push(to: ada, key: "k-2").count == 1)
        await fixture.close()
        await sink.close()
    }

    // MARK: one attempt

    private func attempt(_ fixture: SMSAndPushFixture) async throws -> DeliveryOutcome {
        let ada = try SMSAndPushFixture.account(1)
        let device = try await fixture.register("token", of: ada).deviceId
        return try await fixture.attempt(.push(Self.order(ada, device)))
    }

    private static func order(_ owner: AccountID, _ device: String) throws -> PushOrder {
        PushOrder(
            owner: owner, device: try #require(PushDeviceID(text: device)).key, templateName: "",
            lane: .notice, language: "", title: "t", body: "b")
    }
}
