import Cryptography
import JSON
import Messages
import ProviderIssuer
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("Processing Google's security events", .timeLimit(.minutes(1)))
struct GoogleEventsTests {
    @Test(
        "G-04: revoked tokens or a purged Google account unlink, end sessions and send a mail",
        arguments: ["tokens-revoked", "account-purged"])
    func unlinks(type: String) async throws {
        try await GoogleEventFixture.with { fixture in
            let account = try await fixture.linked()
            #expect(try await fixture.methods(account) == ["password", "google"])
            try await fixture.receive(try fixture.event(type))
            #expect(try await fixture.methods(account) == ["password"])
            try await fixture.identity.relay()
            let ended = try #require(fixture.identity.sessions.ended.last)
            #expect(ended.accountId == account.text && ended.reason == .providerRevoked)
            #expect(fixture.identity.notifications.mails.last?.template == "method-removed")
            let kind: AuditKind =
                type == "tokens-revoked" ? .consentRevoked : .providerAccountDeleted
            #expect(try await fixture.count(kind) == 1)
        }
    }

    @Test(
        "G-04: ended sessions or a disabled Google account end the sessions from before, only them",
        arguments: ["sessions-revoked", "account-disabled"])
    func endsSessions(type: String) async throws {
        try await GoogleEventFixture.with { fixture in
            let account = try await fixture.linked()
            try await fixture.identity.change("UPDATE identities SET sealed_grant = x'01'")
            let happenedAt = fixture.identity.time.now()
            let event = try fixture.event(type)
            // A sign-in since then does not make the event obsolete: older sessions are open.
            fixture.identity.time.advance(by: .seconds(600))
            try await fixture.signIn()
            try await fixture.identity.relay()
            try await fixture.receive(event)
            try await fixture.identity.relay()
            let ended = try #require(fixture.identity.sessions.ended.last)
            #expect(ended.accountId == account.text && ended.reason == .security)
            #expect(ended.beforeMs <= (happenedAt + .milliseconds(1_001)).milliseconds)
            #expect(try await fixture.methods(account) == ["password", "google"])
            #expect(
                try await fixture.identity.count("identities", where: "sealed_grant IS NULL") == 0)
            let kind: AuditKind =
                type == "sessions-revoked" ? .providerSessionsRevoked : .providerAccountDisabled
            #expect(try await fixture.count(kind) == 1)
        }
    }

    @Test("G-04: all other events are recorded, and change nothing")
    func recorded() async throws {
        try await GoogleEventFixture.with { fixture in
            let account = try await fixture.linked()
            let types = ["account-enabled", "account-credential-change-required", "new"]
            for type in types { try await fixture.receive(try fixture.event(type, id: type)) }
            #expect(try await fixture.methods(account) == ["password", "google"])
            #expect(try await fixture.identity.waiting() == 0)
            let attempts = try await fixture.identity.store.read { session in
                try session.query(
                    "SELECT attempt FROM audit WHERE kind = ?",
                    [.text(AuditKind.providerAccountChanged.rawValue)]
                ) { try $0.integer(0) }
            }
            #expect(attempts.sorted() == [0, 1, 2])
        }
    }

    @Test("G-04: the operator's test event is in the log, and has no effect")
    func verification() async throws {
        try await GoogleEventFixture.with { fixture in
            try await fixture.receive(try fixture.event("verification", of: nil))
            #expect(
                fixture.identity.log.lines.contains {
                    $0.contains("identity.provider_event.received") && $0.contains("verification")
                })
            #expect(try await fixture.identity.count("provider_notices") == 0)
        }
    }

    @Test("G-04: an event that is delivered twice takes effect once, even after a crash")
    func replayed() async throws {
        try await GoogleEventFixture.with { fixture in
            _ = try await fixture.linked()
            let payloads = [
                try fixture.event("sessions-revoked", id: "one"),
                try fixture.event("account-enabled", id: "two"),
            ]
            for payload in payloads + payloads { try await fixture.receive(payload) }
            fixture.identity.store.close()
            let next = try await GoogleEventFixture(
                identity: IdentityFixture(
                    folder: fixture.identity.folder, time: fixture.identity.time, seed: 2),
                google: fixture.google)
            for payload in payloads { try await next.receive(payload) }
            #expect(try await next.identity.count("outbox", where: "topic = 'end-account'") == 1)
            #expect(try await next.count(.providerSessionsRevoked) == 1)
            #expect(try await next.count(.providerAccountChanged) == 1)
        }
    }

    @Test("G-04: forged, foreign, old and unknown events get the same answer and change nothing")
    func hostile() async throws {
        try await GoogleEventFixture.with { fixture in
            let account = try await fixture.linked()
            let good = try fixture.event("tokens-revoked")
            let other = try IssuerKey(.rs256)
            let parts = good.split(separator: ".")
            let now = fixture.identity.time.now().seconds
            let claims = IssuedClaims.googleEvent(
                "tokens-revoked", of: GoogleEventFixture.subject, issuer: fixture.google.issuer)
            let payloads = [
                "", "x", "a.b.c", String(repeating: "a", count: 9_000),
                "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1]).\(parts[2])AAAA",
                try fixture.event("tokens-revoked", key: other),
                try fixture.event("tokens-revoked", [("iss", .string("https://evil.example"))]),
                try fixture.event("tokens-revoked", [("aud", .string("com.evil"))]),
                try fixture.event("tokens-revoked", [("iat", .integer(now - 700_000))]),
                try fixture.event("tokens-revoked", [("jti", .null)]),
                try fixture.event("tokens-revoked", of: "another"),
                try fixture.google.event(claims, header: [("typ", .string("logout+jwt"))]),
                try fixture.google.event(claims, header: [("typ", .string("at+jwt"))]),
                // An ID token is not an event.
                try fixture.google.token(.google(of: GoogleEventFixture.subject)),
            ]
            for payload in payloads { try await fixture.receive(payload) }
            #expect(try await fixture.methods(account) == ["password", "google"])
            #expect(try await fixture.identity.waiting() == 0)
            #expect(try await fixture.identity.count("provider_notices") == 0)
            // The valid event still works, with the type that libraries write too.
            try await fixture.receive(
                try fixture.google.event(claims, header: [("typ", .string("JWT"))]))
            #expect(try await fixture.methods(account) == ["password"])
        }
    }

    @Test("G-04: every JWT attack of `TokenAttacks` gets the same answer and changes nothing")
    func attacks() async throws {
        try await GoogleEventFixture.with(.es256) { fixture in
            let account = try await fixture.linked()
            let good = try fixture.event("tokens-revoked")
            let attacks = try #require(
                try TokenAttacks(
                    on: good, kid: fixture.google.key.identifier, jwks: fixture.google.keySet,
                    type: "secevent+jwt"))
            for forgery in try attacks.forgeries() where forgery.token != good {
                try await fixture.receive(forgery.token)
                #expect(
                    try await fixture.methods(account) == ["password", "google"],
                    "\(forgery.description)")
            }
            #expect(try await fixture.identity.count("provider_notices") == 0)
            try await fixture.receive(good)
            #expect(try await fixture.methods(account) == ["password"])
        }
    }

    @Test("G-04: an event is not accepted as an ID token")
    func noIdentity() async throws {
        try await GoogleEventFixture.with { fixture in
            let payload = try fixture.event("tokens-revoked")
            let error = try await refusal {
                try await fixture.events.providers.check.identity(
                    provedBy: .init(provider: "google", idToken: payload))
            }
            #expect(error.code == .invalidNonce)
            let providers = try Providers(
                settings: ProvidersSettings(
                    providers: [
                        try ProviderFixture.provider(
                            "google", fixture.google, noncePolicy: .optional)
                    ], allowsPrivate: true),
                keys: fixture.identity.keys, time: fixture.identity.time,
                randomness: fixture.identity.randomness,
                logger: fixture.identity.log.logger(time: fixture.identity.time))
            for type in ["JWT", "secevent+jwt"] {
                let token = try fixture.google.event(
                    IssuedClaims.googleEvent(
                        "tokens-revoked", of: "117", issuer: fixture.google.issuer),
                    header: [("typ", .string(type))])
                let refused = try await refusal {
                    try await providers.check.identity(
                        provedBy: .init(provider: "google", idToken: token))
                }
                #expect(refused.code == .invalidProviderToken, "\(type)")
            }
        }
    }

    @Test("an event is refused while Google's keys are unavailable, so that Google retries")
    func noKeys() async throws {
        try await GoogleEventFixture.with { fixture in
            fixture.google.behave(.failing(503))
            let payload = try fixture.event("sessions-revoked")
            let error = try await refusal { try await fixture.receive(payload) }
            #expect(error.code == .providerUnavailable)
        }
    }
}
