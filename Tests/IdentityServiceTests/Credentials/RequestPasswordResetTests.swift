import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-11: requesting a password reset link", .timeLimit(.minutes(1)))
struct RequestPasswordResetTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    private func ask(_ email: String = "ada@example.org", key: String? = nil) async throws {
        let answer = try await fixture.credentials.requestPasswordReset(
            .init(email: email, device: IdentityFixture.device), fixture.context(key))
        #expect(answer.encoded().isEmpty, "X-02: the answer is empty")
    }

    private func mails() async throws -> [NotificationV1.SendEmailRequest] {
        try await fixture.relay()
        return fixture.notifications.mails.filter { $0.template == "reset-password" }
    }

    @Test("G-11: the link goes to the stored address in the owner's language, for one hour")
    func mailed() async throws {
        _ = try await fixture.register("Ada@Example.org")
        try await ask("aDA@exaMPLE.org")
        let mail = try #require(try await mails().first)
        #expect(mail.recipient == "Ada@example.org" && mail.language == "en-GB")
        let hour = fixture.time.now() + .seconds(3_600)
        #expect(mail.expiresAtMs == hour.milliseconds)
        let token = try #require(LinkToken(text: try fixture.latestToken("reset-password")))
        let kept = try await fixture.store.read { session in
            try session.queryOne("SELECT token_hash FROM links WHERE purpose = 2") {
                try $0.blob(0)
            }
        }
        #expect(kept == token.hash(.resetPassword, fixture.keys.links), "only the hash is stored")
    }

    @Test("G-11: a newer reset link voids the previous one, and no link of another purpose")
    func resent() async throws {
        _ = try await fixture.register()
        try await ask()
        _ = try await mails()
        let former = try fixture.latestToken("reset-password")
        try await ask()
        #expect(try await mails().count == 2)
        #expect(try fixture.latestToken("reset-password") != former)
        #expect(try await fixture.count("links", where: "purpose = 2") == 1)
        #expect(try await fixture.count("links", where: "purpose = 1") == 1)
    }

    @Test("X-02: unknown and disabled accounts get no mail and no link; the request is audited")
    func nobody() async throws {
        _ = try await fixture.register()
        _ = try await mails()
        try await ask("nobody@example.org")
        for status in [2, 3, 4] {
            try await fixture.change("UPDATE accounts SET status = \(status)")
            try await ask()
        }
        #expect(try await mails().isEmpty)
        #expect(try await fixture.waiting() == 0)
        #expect(try await fixture.count("links", where: "purpose = 2") == 0)
        let events = "kind = 'account.password-reset-requested'"
        #expect(try await fixture.count("audit", where: events) == 3)
        #expect(try await fixture.count("audit", where: "\(events) AND account IS NULL") == 0)
        let known = "\(events) AND subject IS NOT NULL AND client_address IS NOT NULL"
        #expect(try await fixture.count("audit", where: known) == 3)
        #expect(try await fixture.count("refusal_count", where: "\(events) AND refusals = 1") == 1)
    }

    @Test("X-02: known and unknown addresses write outbox rows of the same size")
    func alike() async throws {
        _ = try await fixture.register()
        _ = try await mails()
        try await ask("nobody@example.org")
        try await ask()
        let waiting = try await fixture.store.read { session in
            try session.query("SELECT topic, length(payload), lane FROM outbox") { $0.values }
        }
        #expect(waiting.count == 2 && waiting.first == waiting.last)
    }

    @Test("a queued request of an older version, a look-up key alone, is still mailed")
    func olderWish() async throws {
        _ = try await fixture.register()
        _ = try await mails()
        try await ask()
        try await fixture.change("UPDATE outbox SET payload = substr(payload, 1, 16)")
        #expect(try await mails().count == 1)
        let events = "kind = 'account.password-reset-requested' AND client_address IS NULL"
        #expect(try await fixture.count("audit", where: events) == 1)
    }

    @Test("a queued request that is delivered twice makes one link and one mail")
    func twice() async throws {
        _ = try await fixture.register()
        _ = try await mails()
        try await ask()
        try await fixture.change(
            "INSERT INTO outbox (topic, message_key, payload, created_at_ms, due_at_ms) "
                + "SELECT topic, message_key, payload, created_at_ms, due_at_ms FROM outbox")
        #expect(try await mails().count == 1)
        #expect(try await fixture.count("links", where: "purpose = 2") == 1)
    }

    @Test("G-25: a repeat sends no second mail, for known and unknown addresses")
    func repeated() async throws {
        _ = try await fixture.register()
        for email in ["ada@example.org", "nobody@example.org"] {
            for _ in 0..<3 { try await ask(email, key: email) }
        }
        #expect(try await mails().count == 1)
        let reused = try await refusal { try await ask("x@example.org", key: "ada@example.org") }
        #expect(reused.code == .idempotencyKeyReused)
    }

    @Test("G-11: an invalid address is refused before anything is written")
    func noAddress() async throws {
        for text in ["", "x", "a@b@c", "a\u{0}@example.org"] {
            #expect(try await refusal { try await ask(text) }.code == .invalidEmail)
        }
        #expect(try await fixture.count("audit") == 0)
    }

    @Test("X-02: an address with a look-alike letter matches no account")
    func lookAlike() async throws {
        _ = try await fixture.register("mike@example.org")
        _ = try await mails()
        try await ask("mıke@example.org")
        #expect(try await mails().isEmpty)
    }
}
