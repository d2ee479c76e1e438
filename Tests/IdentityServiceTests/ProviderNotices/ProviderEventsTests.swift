import Cryptography
import Messages
import ProviderIssuer
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("Apple's notices, taken on", .timeLimit(.minutes(1)))
struct ProviderEventsTests {
    @Test(
        "G-05: a revoked consent or a deleted Apple account unlinks, ends the sessions, and is told",
        arguments: ["consent-revoked", "account-delete", "account-deleted"])
    func unlinks(type: String) async throws {
        try await NoticeScene.with { scene in
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

    @Test("G-05: the only way in stays, without its grant; the next sign-in by Apple finds it")
    func lastMethod() async throws {
        try await NoticeScene.with { scene in
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
            // The relay went with the consent.
            #expect(scene.house.notifications.mails.count == mails)
            #expect(try await scene.signIn() == account)
        }
    }

    @Test("G-05: a notice older than a sign-in or a link does not undo it")
    func late() async throws {
        try await NoticeScene.with { scene in
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

    @Test("G-05: sessions that were opened after the revocation stay")
    func later() async throws {
        try await NoticeScene.with { scene in
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

    @Test("G-05: a notice that comes twice acts once, also after a crash")
    func replayed() async throws {
        try await NoticeScene.with { scene in
            try await scene.signIn()
            scene.house.time.advance(by: .seconds(60))
            let payload = try scene.notice("consent-revoked")
            try await scene.receive(payload)
            try await scene.receive(payload)
            #expect(try await scene.waiting(.endAccount) == 1)
            scene.house.store.close()
            let next = try await NoticeScene(
                house: IdentityHouse(folder: scene.house.folder, time: scene.house.time, seed: 2),
                apple: scene.apple)
            try await next.receive(payload)
            #expect(try await next.waiting(.endAccount) == 1)
            #expect(try await next.count(.consentRevoked) == 1)
        }
    }

    @Test("G-05: names are forgotten after eight days, when a replay is too old in any case")
    func forgotten() async throws {
        try await NoticeScene.with { scene in
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

    @Test("G-05: a relay's turning off and on is handed to notification, in its order")
    func relay() async throws {
        try await NoticeScene.with { scene in
            let account = try await scene.signIn()
            try await scene.house.relay()
            let start = scene.house.time.now()
            scene.house.time.advance(by: .seconds(60))
            try await scene.receive(
                try scene.notice("email-disabled", id: "1", at: start + .seconds(10)))
            try await scene.receive(
                try scene.notice("email-enabled", id: "2", at: start + .seconds(20)))
            // Apple's own retry of an older one comes late.
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
            #expect(requests.allSatisfy { $0.email == NoticeScene.relay })
            #expect(try await scene.count(.relayTurnedOff) == 1)
            #expect(try await scene.count(.relayTurnedOn) == 1)
        }
    }

    @Test("G-05: forged, for another app, old, unknown, of nobody: answered alike, nothing done")
    func hostile() async throws {
        try await NoticeScene.with { scene in
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
                // An ID token is no notice.
                try scene.apple.token(.apple(of: NoticeScene.subject)),
            ]
            for payload in payloads { try await scene.receive(payload) }
            #expect(try await scene.methods(account) == ["password", "apple"])
            #expect(try await scene.house.waiting() == 0)
            #expect(try await scene.house.count("provider_notices") == 0)
            // And the good one works.
            try await scene.receive(good)
            #expect(try await scene.methods(account) == ["password"])
        }
    }

    @Test("G-05: a notice is no ID token")
    func noIdentity() async throws {
        try await NoticeScene.with { scene in
            let providers = try Providers(
                settings: ProvidersSettings(
                    providers: [
                        try ProviderScene.provider(
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

    @Test("while Apple's keys cannot be had, a notice is refused, so that it comes again")
    func noKeys() async throws {
        try await NoticeScene.with { scene in
            scene.apple.behave(.failing(503))
            let payload = try scene.notice("consent-revoked")
            let error = try await refusal { try await scene.receive(payload) }
            #expect(error.code == .providerUnavailable)
        }
    }

    @Test(
        "a provider without notices, or that is not set up, is not allowed",
        arguments: [
            "google", "", "Apple", "password",
        ])
    func otherProvider(name: String) async throws {
        try await NoticeScene.with { scene in
            let error = try await refusal {
                try await scene.events.receive(
                    .init(provider: name, payload: "x"), scene.house.context())
            }
            #expect(error.code == .operationNotAllowed)
        }
    }
}
