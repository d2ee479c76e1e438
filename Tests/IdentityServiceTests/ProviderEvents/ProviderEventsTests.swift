import Cryptography
import JSON
import Messages
import ProviderIssuer
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("Processing Apple's notices", .timeLimit(.minutes(1)))
struct ProviderEventsTests {
    @Test(
        "G-05: a revoked consent or deleted Apple account unlinks, ends sessions and sends a mail",
        arguments: ["consent-revoked", "account-delete", "account-deleted"])
    func unlinks(type: String) async throws {
        try await ProviderEventFixture.with { scene in
            let account = try await scene.linked()
            try await scene.house.relay()
            #expect(try await scene.methods(account) == ["password", "apple"])
            scene.house.time.advance(by: .seconds(60))
            let revokedAt = scene.house.time.now()
            try await scene.receive(try scene.notice(type))
            #expect(try await scene.methods(account) == ["password"])
            try await scene.house.relay()
            let ended = try #require(scene.house.sessions.ended.last)
            #expect(ended.accountId == account.text && ended.reason == .providerRevoked)
            #expect(ended.beforeMs > revokedAt.milliseconds)
            #expect(scene.house.notifications.mails.last?.template == "method-removed")
            #expect(scene.house.notifications.mails.last?.recipient == "ada@example.org")
            let kind: AuditKind =
                type == "consent-revoked" ? .consentRevoked : .providerAccountDeleted
            #expect(try await scene.count(kind) == 1)
        }
    }

    @Test("G-05: the last method is kept without its grant, and the next Apple sign-in works")
    func lastMethod() async throws {
        try await ProviderEventFixture.with { scene in
            let account = try await scene.signIn()
            try await scene.house.change("UPDATE identities SET sealed_grant = x'01'")
            try await scene.house.relay()
            let mails = scene.house.notifications.mails.count
            scene.house.time.advance(by: .seconds(60))
            try await scene.receive(try scene.notice("consent-revoked"))
            #expect(try await scene.methods(account) == ["apple"])
            #expect(try await scene.house.count("identities", where: "sealed_grant IS NULL") == 1)
            try await scene.house.relay()
            #expect(scene.house.sessions.ended.last?.reason == .providerRevoked)
            // The relay address became invalid with the consent, so no mail is sent.
            #expect(scene.house.notifications.mails.count == mails)
            #expect(try await scene.signIn() == account)
        }
    }

    @Test("G-05: a notice older than a sign-in or a link does not undo it")
    func late() async throws {
        try await ProviderEventFixture.with { scene in
            let account = try await scene.linked()
            let revokedAt = scene.house.time.now() + .seconds(60)
            scene.house.time.advance(by: .seconds(120))
            try await scene.signIn(email: "ada@example.org", isRelay: false)
            try await scene.house.relay()
            let before = scene.house.sessions.ended.count
            try await scene.receive(try scene.notice("consent-revoked", at: revokedAt))
            #expect(try await scene.methods(account) == ["password", "apple"])
            #expect(try await scene.house.waiting() == 0)
            #expect(scene.house.sessions.ended.count == before)
        }
    }

    @Test("G-05: sessions opened after the revocation stay valid")
    func later() async throws {
        try await ProviderEventFixture.with { scene in
            let account = try await scene.linked()
            try await scene.house.relay()
            scene.house.time.advance(by: .seconds(60))
            let revokedAt = scene.house.time.now()
            scene.house.time.advance(by: .seconds(600))
            try await scene.receive(try scene.notice("consent-revoked", at: revokedAt))
            try await scene.house.relay()
            let ended = try #require(scene.house.sessions.ended.last)
            #expect(ended.accountId == account.text)
            #expect(ended.beforeMs <= (revokedAt + .milliseconds(1_001)).milliseconds)
        }
    }

    @Test("G-05: a notice that is delivered twice takes effect once, even after a crash")
    func replayed() async throws {
        try await ProviderEventFixture.with { scene in
            try await scene.signIn()
            scene.house.time.advance(by: .seconds(60))
            let payload = try scene.notice("consent-revoked")
            try await scene.receive(payload)
            try await scene.receive(payload)
            #expect(try await scene.waiting(.endAccount) == 1)
            scene.house.store.close()
            let next = try await ProviderEventFixture(
                house: IdentityFixture(folder: scene.house.folder, time: scene.house.time, seed: 2),
                apple: scene.apple)
            try await next.receive(payload)
            #expect(try await next.waiting(.endAccount) == 1)
            #expect(try await next.count(.consentRevoked) == 1)
        }
    }

    @Test("G-05: ids of notices are deleted after eight days, when a replay is refused as too old")
    func forgotten() async throws {
        try await ProviderEventFixture.with { scene in
            try await scene.signIn()
            scene.house.time.advance(by: .seconds(60))
            let payload = try scene.notice(
                "email-disabled", id: "one", [("exp", .integer(2_000_000_000))])
            try await scene.receive(payload)
            scene.house.time.advance(by: AppleNotice.ageMax - .seconds(1))
            try await scene.receive(payload)
            #expect(try await scene.count(.relayTurnedOff) == 1)
            scene.house.time.advance(by: .seconds(24 * 3_600 + 2))
            try await scene.receive(payload)
            #expect(try await scene.count(.relayTurnedOff) == 1)
            try await scene.receive(try scene.notice("email-enabled", id: "two"))
            #expect(try await scene.house.count("provider_notices") == 1)
        }
    }

    @Test("G-05: turning a relay off and on is sent to notification in order")
    func relay() async throws {
        try await ProviderEventFixture.with { scene in
            let account = try await scene.signIn()
            try await scene.house.relay()
            let start = scene.house.time.now()
            scene.house.time.advance(by: .seconds(60))
            try await scene.receive(
                try scene.notice("email-disabled", id: "1", at: start + .seconds(10)))
            try await scene.receive(
                try scene.notice("email-enabled", id: "2", at: start + .seconds(20)))
            // A late retry of an older notice.
            try await scene.receive(
                try scene.notice("email-disabled", id: "3", at: start + .seconds(15)))
            let orders = try await scene.house.store.read { session in
                try session.query(
                    "SELECT message_key, payload, lane FROM outbox WHERE topic = 'relay' ORDER BY number"
                ) { (try $0.text(0), try $0.blob(1), try $0.optionalInteger(2)) }
            }
            let requests = try orders.map { key, payload, lane in
                #expect(lane == account.key)
                return try NotificationV1.SetRelayRequest(
                    decoding: scene.house.keys.outbox.open(
                        payload, at: IdentityOutbox.place(key)))
            }
            #expect(requests.map(\.isOff) == [true, false])
            #expect(requests.allSatisfy { $0.email == ProviderEventFixture.relay })
            #expect(try await scene.count(.relayTurnedOff) == 1)
            #expect(try await scene.count(.relayTurnedOn) == 1)
        }
    }

    @Test("G-05: forged, foreign, old and unknown notices get the same answer and change nothing")
    func hostile() async throws {
        try await ProviderEventFixture.with { scene in
            let account = try await scene.linked()
            try await scene.house.relay()
            scene.house.time.advance(by: .seconds(60))
            let good = try scene.notice("consent-revoked")
            let other = try IssuerKey(.rs256)
            let parts = good.split(separator: ".")
            let now = scene.house.time.now().seconds
            let payloads = [
                "", "x", "a.b.c", String(repeating: "a", count: 9_000),
                "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1]).\(parts[2])AAAA",
                try scene.notice("consent-revoked", key: other),
                try scene.notice("consent-revoked", [("iss", .string("https://evil.example"))]),
                try scene.notice("consent-revoked", [("aud", .string("com.evil"))]),
                try scene.notice("consent-revoked", [("iat", .integer(now - 700_000))]),
                try scene.notice("consent-revoked", [("exp", .integer(now - 61))]),
                try scene.notice("consent-revoked", [("events", .string("{}"))]),
                try scene.notice("consent-revoked", [("jti", .null)]),
                try scene.notice("consent-revoked", of: "nobody"),
                try scene.notice("age-rating-changed"),
                // An ID token is not a notice.
                try scene.apple.token(.apple(of: ProviderEventFixture.subject)),
            ]
            for payload in payloads { try await scene.receive(payload) }
            #expect(try await scene.methods(account) == ["password", "apple"])
            #expect(try await scene.house.waiting() == 0)
            #expect(try await scene.house.count("provider_notices") == 0)
            // The valid notice still works.
            try await scene.receive(good)
            #expect(try await scene.methods(account) == ["password"])
        }
    }

    @Test("G-05: a notice is not accepted as an ID token")
    func noIdentity() async throws {
        try await ProviderEventFixture.with { scene in
            let providers = try Providers(
                settings: ProvidersSettings(
                    providers: [
                        try ProviderFixture.provider(
                            "apple", scene.apple, noncePolicy: .optional, isApple: true)
                    ], allowsPrivate: true),
                keys: scene.house.keys, time: scene.house.time,
                randomness: scene.house.randomness,
                logger: scene.house.log.logger(time: scene.house.time))
            let payload = try scene.notice("consent-revoked")
            let error = try await refusal {
                try await providers.check.identity(
                    provedBy: .init(provider: "apple", idToken: payload))
            }
            #expect(error.code == .invalidProviderToken)
        }
    }

    @Test("a notice is refused while Apple's keys are unavailable, so that Apple retries")
    func noKeys() async throws {
        try await ProviderEventFixture.with { scene in
            scene.apple.behave(.failing(503))
            let payload = try scene.notice("consent-revoked")
            let error = try await refusal { try await scene.receive(payload) }
            #expect(error.code == .providerUnavailable)
        }
    }

    @Test(
        "a provider without notices, or not configured, is refused",
        arguments: [
            "google", "", "Apple", "password",
        ])
    func otherProvider(name: String) async throws {
        try await ProviderEventFixture.with { scene in
            let error = try await refusal {
                try await scene.events.receive(
                    .init(provider: name, payload: "x"), scene.house.context())
            }
            #expect(error.code == .operationNotAllowed)
        }
    }
}
