import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import NotificationService

@Suite("Mails and texts with a code need an expiry")
struct CodeEndTests {
    private static let day: Duration = .seconds(24 * 3_600)

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
        for moment in [nil, end + .milliseconds(1)] {
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

    @Test("G-06, N-02: a text message with a code is rejected without an expiry within a day")
    func texts() async throws {
        let fixture = try SMSAndPushFixture(in: try TemporaryFolder())
        for moment: Int64 in [0, (start + Self.day + .milliseconds(1)).milliseconds] {
            let error = await #expect(throws: ServiceError.self) {
                try await fixture.sendCode(expiresAtMs: moment)
            }
            #expect(error?.code == .invalidArgument && error?.fields == ["expires_at_ms"])
        }
        try await fixture.sendCode(expiresAtMs: (start + Self.day).milliseconds)
        await fixture.close()
    }
}
