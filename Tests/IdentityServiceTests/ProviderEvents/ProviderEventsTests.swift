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
        try await ProviderEventFixture.with { fixture in
            let account = try await fixture.linked()
            try await fixture.identity.relay()
            #expect(try await fixture.methods(account) == ["password", "apple"])
            fixture.identity.time.advance(by: .seconds(60))
            let revokedAt = fixture.identity.time.now()
            try await fixture.receive(try fixture.notice(type))
            #expect(try await fixture.methods(account) == ["password"])
            try await fixture.identity.relay()
            let ended = try #require(fixture.identity.sessions.ended.last)
            #expect(ended.accountId == account.text && ended.reason == .providerRevoked)
            #expect(ended.beforeMs > revokedAt.milliseconds)
            #expect(fixture.identity.notifications.mails.last?.template == "method-removed")
            #expect(fixture.identity.notifications.mails.last?.recipient == "ada@example.org")
            let kind: AuditKind =
                type == "consent-revoked" ? .consentRevoked : .providerAccountDeleted
            #expect(try await fixture.count(kind) == 1)
        }
    }

    @Test("G-05: the last method stays without its grant, and the next Apple sign-in works")
    func lastMethod() async throws {
        try await ProviderEventFixture.with { fixture in
            let account = try await fixture.signIn()
            try await fixture.identity.change("UPDATE identities SET sealed_grant = x'01'")
            try await fixture.identity.relay()
            let mails = fixture.identity.notifications.mails.count
            fixture.identity.time.advance(by: .seconds(60))
            try await fixture.receive(try fixture.notice("consent-revoked"))
            #expect(try await fixture.methods(account) == ["apple"])
            #expect(
                try await fixture.identity.count("identities", where: "sealed_grant IS NULL") == 1)
            try await fixture.identity.relay()
            #expect(fixture.identity.sessions.ended.last?.reason == .providerRevoked)
            // The relay address became invalid with the consent, so no mail is sent.
            #expect(fixture.identity.notifications.mails.count == mails)
            #expect(try await fixture.signIn() == account)
        }
    }

    @Test("G-05: a notice older than a sign-in or a link does not undo it")
    func late() async throws {
        try await ProviderEventFixture.with { fixture in
            let account = try await fixture.linked()
            let revokedAt = fixture.identity.time.now() + .seconds(60)
            fixture.identity.time.advance(by: .seconds(120))
            try await fixture.signIn(email: "ada@example.org", isRelay: false)
            try await fixture.identity.relay()
            let before = fixture.identity.sessions.ended.count
            try await fixture.receive(try fixture.notice("consent-revoked", at: revokedAt))
            #expect(try await fixture.methods(account) == ["password", "apple"])
            #expect(try await fixture.identity.waiting() == 0)
            #expect(fixture.identity.sessions.ended.count == before)
        }
    }

    @Test("G-05: sessions opened after the revocation stay valid")
    func later() async throws {
        try await ProviderEventFixture.with { fixture in
            let account = try await fixture.linked()
            try await fixture.identity.relay()
            fixture.identity.time.advance(by: .seconds(60))
            let revokedAt = fixture.identity.time.now()
            fixture.identity.time.advance(by: .seconds(600))
            try await fixture.receive(try fixture.notice("consent-revoked", at: revokedAt))
            try await fixture.identity.relay()
            let ended = try #require(fixture.identity.sessions.ended.last)
            #expect(ended.accountId == account.text)
            #expect(ended.beforeMs <= (revokedAt + .milliseconds(1_001)).milliseconds)
        }
    }

    @Test("G-05: a notice that is delivered twice takes effect once, even after a crash")
    func replayed() async throws {
        try await ProviderEventFixture.with { fixture in
            try await fixture.signIn()
            fixture.identity.time.advance(by: .seconds(60))
            let payload = try fixture.notice("consent-revoked")
            try await fixture.receive(payload)
            try await fixture.receive(payload)
            #expect(try await fixture.waiting(.endAccount) == 1)
            fixture.identity.store.close()
            let next = try await ProviderEventFixture(
                identity: IdentityFixture(
                    folder: fixture.identity.folder, time: fixture.identity.time, seed: 2),
                apple: fixture.apple)
            try await next.receive(payload)
            #expect(try await next.waiting(.endAccount) == 1)
            #expect(try await next.count(.consentRevoked) == 1)
        }
    }

    @Test("G-05: ids of notices are deleted after eight days, when a replay is refused as too old")
    func forgotten() async throws {
        try await ProviderEventFixture.with { fixture in
            try await fixture.signIn()
            fixture.identity.time.advance(by: .seconds(60))
            let payload = try fixture.notice(
                "email-disabled", id: "one", [("exp", .integer(2_000_000_000))])
            try await fixture.receive(payload)
            fixture.identity.time.advance(by: ProviderNotice.ageMax - .seconds(1))
            try await fixture.receive(payload)
            #expect(try await fixture.count(.relayTurnedOff) == 1)
            fixture.identity.time.advance(by: .seconds(24 * 3_600 + 2))
            try await fixture.receive(payload)
            #expect(try await fixture.count(.relayTurnedOff) == 1)
            try await fixture.receive(try fixture.notice("email-enabled", id: "two"))
            #expect(try await fixture.identity.count("provider_notices") == 2)
            try await fixture.identity.purge()
            #expect(try await fixture.identity.count("provider_notices") == 1)
        }
    }

    @Test("G-05: turning a relay off and on is sent to notification in order")
    func relay() async throws {
        try await ProviderEventFixture.with { fixture in
            let account = try await fixture.signIn()
            try await fixture.identity.relay()
            let start = fixture.identity.time.now()
            fixture.identity.time.advance(by: .seconds(60))
            try await fixture.receive(
                try fixture.notice("email-disabled", id: "1", at: start + .seconds(10)))
            try await fixture.receive(
                try fixture.notice("email-enabled", id: "2", at: start + .seconds(20)))
            // A late retry of an older notice.
            try await fixture.receive(
                try fixture.notice("email-disabled", id: "3", at: start + .seconds(15)))
            let orders = try await fixture.identity.store.read { session in
                try session.query(
                    "SELECT message_key, payload, lane FROM outbox WHERE topic = 'relay' ORDER BY number"
                ) { (try $0.text(0), try $0.blob(1), try $0.optionalInteger(2)) }
            }
            let requests = try orders.map { key, payload, lane in
                #expect(lane == account.key)
                return try NotificationV1.SetRelayRequest(
                    decoding: fixture.identity.keys.outbox.open(
                        payload, at: SealedPlace(outbox: "email", key)))
            }
            #expect(requests.map(\.isOff) == [true, false])
            #expect(requests.allSatisfy { $0.email == ProviderEventFixture.relay })
            #expect(try await fixture.count(.relayTurnedOff) == 1)
            #expect(try await fixture.count(.relayTurnedOn) == 1)
        }
    }

    @Test("G-05: forged, foreign, old and unknown notices get the same answer and change nothing")
    func hostile() async throws {
        try await ProviderEventFixture.with { fixture in
            let account = try await fixture.linked()
            try await fixture.identity.relay()
            fixture.identity.time.advance(by: .seconds(60))
            let good = try fixture.notice("consent-revoked")
            let other = try IssuerKey(.rs256)
            let parts = good.split(separator: ".")
            let now = fixture.identity.time.now().seconds
            let payloads = [
                "", "x", "a.b.c", String(repeating: "a", count: 9_000),
                "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1]).\(parts[2])AAAA",
                try fixture.notice("consent-revoked", key: other),
                try fixture.notice("consent-revoked", [("iss", .string("https://evil.example"))]),
                try fixture.notice("consent-revoked", [("aud", .string("com.evil"))]),
                try fixture.notice("consent-revoked", [("iat", .integer(now - 700_000))]),
                try fixture.notice("consent-revoked", [("exp", .integer(now - 61))]),
                try fixture.notice("consent-revoked", [("events", .string("{}"))]),
                try fixture.notice("consent-revoked", [("jti", .null)]),
                try fixture.notice("consent-revoked", of: "nobody"),
                try fixture.notice("age-rating-changed"),
                // An ID token is not a notice.
                try fixture.apple.token(.apple(of: ProviderEventFixture.subject)),
            ]
            for payload in payloads { try await fixture.receive(payload) }
            #expect(try await fixture.methods(account) == ["password", "apple"])
            #expect(try await fixture.identity.waiting() == 0)
            #expect(try await fixture.identity.count("provider_notices") == 0)
            // The valid notice still works.
            try await fixture.receive(good)
            #expect(try await fixture.methods(account) == ["password"])
        }
    }

    @Test("G-05: a notice is not accepted as an ID token")
    func noIdentity() async throws {
        try await ProviderEventFixture.with { fixture in
            let providers = try Providers(
                settings: ProvidersSettings(
                    providers: [
                        try ProviderFixture.provider(
                            "apple", fixture.apple, noncePolicy: .optional, isApple: true)
                    ], allowsPrivate: true),
                keys: fixture.identity.keys, time: fixture.identity.time,
                randomness: fixture.identity.randomness,
                logger: fixture.identity.log.logger(time: fixture.identity.time))
            let payload = try fixture.notice("consent-revoked")
            let error = try await refusal {
                try await providers.check.identity(
                    provedBy: .init(provider: "apple", idToken: payload))
            }
            #expect(error.code == .invalidProviderToken)
        }
    }

    @Test("a notice is refused while Apple's keys are unavailable, so that Apple retries")
    func noKeys() async throws {
        try await ProviderEventFixture.with { fixture in
            fixture.apple.behave(.failing(503))
            let payload = try fixture.notice("consent-revoked")
            let error = try await refusal { try await fixture.receive(payload) }
            #expect(error.code == .providerUnavailable)
        }
    }

    @Test(
        "a provider without notices, or not configured, is refused",
        arguments: [
            "google", "", "Apple", "password",
        ])
    func otherProvider(name: String) async throws {
        try await ProviderEventFixture.with { fixture in
            let error = try await refusal {
                try await fixture.events.receiveProviderNotice(
                    .init(provider: name, payload: "x"), fixture.identity.relayed(nil))
            }
            #expect(error.code == .operationNotAllowed)
        }
    }
}
