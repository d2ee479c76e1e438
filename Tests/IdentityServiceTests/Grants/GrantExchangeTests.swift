import Contracts
import Cryptography
import HTTPSink
import JSON
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("Exchange of Apple's codes", .timeLimit(.minutes(1)))
struct GrantExchangeTests {
    @Test("G-05: a code is exchanged for a grant, which is stored sealed under the account's key")
    func exchanged() async throws {
        let fixture = try await GrantFixture { _ in GrantFixture.granted() }
        try await fixture.signIn()
        try await fixture.settle()
        let grant = try #require(try await fixture.grant())
        #expect(grant.refreshToken == "refresh-canary" && grant.client == GrantFixture.client)
        #expect(try await fixture.count(.grantKept) == 1)
        let request = try #require(fixture.sink.requests.first)
        #expect(request.method == "POST" && request.path == "/auth/token")
        #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
        let fields = request.text.split(separator: "&").map(String.init)
        #expect(fields.contains("grant_type=authorization_code"))
        #expect(fields.contains("client_id=com.example.app"))
        #expect(fields.contains("code=code-canary"))
        await fixture.close()
    }

    @Test("G-05: the client secret is a JWT signed with our key, for one app and five minutes")
    func secret() async throws {
        let fixture = try await GrantFixture { _ in GrantFixture.granted() }
        let begun = fixture.identity.time.now().seconds
        try await fixture.signIn()
        try await fixture.settle()
        let body = try #require(fixture.sink.requests.first).text
        let field = try #require(
            body.split(separator: "&").first { $0.hasPrefix("client_secret=") })
        let parts = field.dropFirst("client_secret=".count).split(separator: ".")
        try #require(parts.count == 3)
        let signature = try #require(Base64URL.decode(parts[2].utf8))
        #expect(fixture.key.verifyingKey.verifies(signature, of: "\(parts[0]).\(parts[1])".utf8))
        let header = try #require(
            Base64URL.decode(parts[0].utf8).flatMap { JSONReader.object(in: $0) })
        #expect(header["alg"] == .string("ES256") && header["kid"] == .string("KEYID12345"))
        let claims = try #require(
            Base64URL.decode(parts[1].utf8).flatMap { JSONReader.object(in: $0) })
        // `settle` advances the time while it waits.
        let now = fixture.identity.time.now().seconds
        let issued = try #require((begun...now).first { claims["iat"] == .integer($0) })
        #expect(
            claims["iss"] == .string("TEAMID1234") && claims["sub"] == .string("com.example.app"))
        #expect(claims["aud"] == .string("https://appleid.apple.com"))
        #expect(claims["exp"] == .integer(issued + 300))
        await fixture.close()
    }

    @Test("G-05: a grant with another subject is discarded, neither stored nor revoked")
    func otherSubject() async throws {
        let fixture = try await GrantFixture { _ in GrantFixture.granted(subject: "someone.else") }
        try await fixture.signIn()
        try await fixture.settle()
        #expect(try await fixture.grant() == nil)
        #expect(try await fixture.count(.grantRefused) == 1)
        #expect(fixture.sink.requests.count == 1)
        await fixture.close()
    }

    @Test("G-05: a used or expired code is dropped after one try")
    func refused() async throws {
        let fixture = try await GrantFixture { _ in GrantFixture.error("invalid_grant") }
        try await fixture.signIn()
        try await fixture.settle()
        #expect(fixture.sink.requests.count == 1)
        #expect(try await fixture.count(.grantRefused) == 1)
        await fixture.close()
    }

    @Test("G-05: a code is retried while Apple fails or stalls, until the code expires")
    func tried() async throws {
        let script = AnswerScript([.answer(503), .reset, .stall, GrantFixture.granted()])
        let fixture = try await GrantFixture(timeout: .seconds(2)) { _ in script.answer() }
        try await fixture.signIn()
        try await fixture.settle()
        #expect(fixture.sink.requests.count == 4)
        #expect(try await fixture.grant()?.refreshToken == "refresh-canary")
        await fixture.close()

        let down = try await GrantFixture { _ in .answer(503) }
        let start = down.identity.time.now()
        try await down.signIn()
        try await down.settle()
        #expect(try await down.grant() == nil)
        #expect(try await down.count(.grantRefused) == 1)
        #expect(down.identity.time.now() - start >= Grants.codeLife)
        await down.close()
    }

    @Test("G-05: the grant of an identity removed before the exchange is revoked")
    func gone() async throws {
        let fixture = try await GrantFixture { request in
            request.path == "/auth/token" ? GrantFixture.granted() : .answer(200)
        }
        let account = try await fixture.signIn()
        try await fixture.unlink(account)
        try await fixture.settle()
        #expect(fixture.sink.requests.map(\.path) == ["/auth/token", "/auth/revoke"])
        #expect(fixture.sink.requests.last?.text.contains("token=refresh-canary") == true)
        #expect(try await fixture.count(.grantRevoked) == 1)
        await fixture.close()
    }

    @Test("G-05: an exchange that is delivered twice takes effect once")
    func twice() async throws {
        let fixture = try await GrantFixture { _ in GrantFixture.granted() }
        try await fixture.signIn()
        let message = try await fixture.identity.store.read { session in
            try session.queryOne("SELECT topic, message_key, payload FROM outbox") {
                OutboxMessage(
                    topic: try $0.text(0), key: try $0.text(1), payload: try $0.blob(2))
            }
        }
        try await fixture.settle()
        try await fixture.delivery.exchange(try #require(message))
        #expect(fixture.sink.requests.count == 1)
        #expect(try await fixture.count(.grantKept) == 1)
        await fixture.close()
    }

    @Test("neither the code nor the grant is stored in clear")
    func sealed() async throws {
        let fixture = try await GrantFixture { _ in GrantFixture.granted() }
        try await fixture.signIn()
        func clear() async throws -> Int {
            let stored = try await fixture.identity.store.read { session in
                try ["payload FROM outbox", "sealed_grant FROM identities"].flatMap { part in
                    try session.query("SELECT \(part)", []) { row in
                        try row.optionalBlob(0) ?? []
                    }
                }
            }
            return stored.map { String(decoding: $0, as: UTF8.self) }
                .count { $0.contains("canary") || $0.contains("001234") }
        }
        #expect(try await fixture.identity.count("outbox") == 1)
        #expect(try await clear() == 0)
        try await fixture.settle()
        #expect(
            try await fixture.identity.count("identities", where: "sealed_grant IS NOT NULL") == 1)
        #expect(try await clear() == 0)
        #expect(!fixture.identity.log.lines.contains { $0.contains("canary") })
        await fixture.close()
    }

    @Test(
        "an invalid code is ignored, and the sign-in continues without it",
        arguments: ["", "a b", "a\u{0}", "ä"])
    func noCode(text: String) {
        #expect(GrantCode(text, by: .apple, client: "app") == nil)
        #expect(GrantCode(String(repeating: "c", count: 512), by: .apple, client: "app") != nil)
        #expect(GrantCode(String(repeating: "c", count: 513), by: .apple, client: "app") == nil)
    }

    @Test("a stalled Apple endpoint holds only a few calls, and mails are still delivered")
    func stalled() async throws {
        let fixture = try await GrantFixture(timeout: .seconds(5)) { _ in .stall }
        for _ in 0..<OutboxQueue.standard.deliveriesMax * 2 { try await fixture.signIn() }
        let before = fixture.identity.notifications.mails.count
        _ = try await fixture.identity.register("grace@example.org")
        try await fixture.run(until: { fixture.identity.notifications.mails.count > before })
        #expect(fixture.sink.requests.count <= GrantGuard.callsMax)
        await fixture.close()
    }
}
