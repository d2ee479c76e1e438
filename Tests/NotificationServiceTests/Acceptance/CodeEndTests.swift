import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Messages that need an expiry")
struct CodeEndTests {
    private static let day: Duration = .seconds(24 * 3_600)
    /// The least that is too long.
    private static let tooLong = day + AcceptedMessage.clockLeeway + .milliseconds(1)

    private func mail(_ template: String, until moment: Timestamp?)
        -> NotificationV1.SendEmailRequest
    {
        NotificationV1.SendEmailRequest(
            recipient: NotificationFixture.recipient, template: template, language: "en",
            variables: [.init(name: "code", value: "482913"), .init(name: "minutes", value: "10")],
            expiresAtMs: moment?.milliseconds ?? 0)
    }

    @Test(
        "G-06: a mail with a code is rejected if it has no expiry, or one more than a day ahead",
        arguments: ["sign-in-code", "verify-email-code"])
    func mails(_ template: String) async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let end = fixture.time.now() + Self.day
        for moment in [nil, fixture.time.now() + Self.tooLong] {
            let error = await #expect(throws: ServiceError.self) {
                try await fixture.send(mail(template, until: moment))
            }
            #expect(error?.code == .invalidArgument && error?.fields == ["expires_at_ms"])
        }
        #expect(try await fixture.ask("SELECT count(*) FROM message") == [.integer(0)])
        let id = try await fixture.send(mail(template, until: end))
        // A repeat gets its stored response, even if the clock was set back in between.
        fixture.time.startAgain(at: fixture.time.now() - .seconds(10))
        #expect(try await fixture.send(mail(template, until: end)) == id)
    }

    @Test("G-20: the last mail about an account names none, must expire, and shows no recipient")
    func lastMail() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let end = fixture.time.now() + Self.day
        func send(until moment: Timestamp?, account: AccountID? = nil) async throws {
            try await fixture.send(
                NotificationV1.SendEmailRequest(
                    recipient: NotificationFixture.recipient, template: "deletion-done",
                    language: "en", expiresAtMs: moment?.milliseconds ?? 0,
                    accountId: account?.text ?? ""))
        }
        for moment in [nil, fixture.time.now() + Self.tooLong] {
            let error = await #expect(throws: ServiceError.self) { try await send(until: moment) }
            #expect(error?.fields == ["expires_at_ms"])
        }
        let account = AccountID.drawn(from: SeededRandomness(seed: 5))
        let error = await #expect(throws: ServiceError.self) {
            try await send(until: end, account: account)
        }
        #expect(error?.fields == ["account_id"])
        try await send(until: end)
        #expect(try await fixture.ask("SELECT recipient FROM message") == [.text("…")])
        #expect(try await fixture.ask("SELECT account_hash FROM message") == [.null])
    }

    @Test("G-20: the last mail is accepted although identity's clock is ahead of ours")
    func clocks() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let theirs = fixture.time.now() + AcceptedMessage.clockLeeway
        try await fixture.send(
            NotificationV1.SendEmailRequest(
                recipient: NotificationFixture.recipient, template: "deletion-done",
                language: "en", expiresAtMs: (theirs + Self.day).milliseconds))
        #expect(try await fixture.ask("SELECT count(*) FROM message") == [.integer(1)])
    }

    @Test("G-20: an undelivered last mail leaves the store when its day is over")
    func lastMailEnds() async throws {
        let fixture = try NotificationFixture(in: TemporaryFolder())
        let delivery = Delivery(
            state: .queued, attempts: 1, acceptedAt: fixture.time.now(),
            expiresAt: fixture.time.now() + Self.day)
        let end = fixture.time.now() + Self.day
        #expect(delivery.retainedUntil(from: fixture.time.now() + .seconds(60)) == end)
        #expect(delivery.retainedUntil(from: end) == nil)
    }

    @Test("G-06, N-02: a text message with a code is rejected without an expiry within a day")
    func texts() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        for moment: Int64 in [0, (start + Self.tooLong).milliseconds] {
            let error = await #expect(throws: ServiceError.self) {
                try await fixture.sendCode(expiresAtMs: moment)
            }
            #expect(error?.code == .invalidArgument && error?.fields == ["expires_at_ms"])
        }
        try await fixture.sendCode(expiresAtMs: (start + Self.day).milliseconds)
        await fixture.close()
    }
}
