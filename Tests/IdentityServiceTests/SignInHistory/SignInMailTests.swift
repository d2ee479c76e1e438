import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("N-01: which sign-ins the owner is notified of", .timeLimit(.minutes(1)))
struct SignInMailTests {
    @Test(
        "the table",
        arguments: [
            (.never, true, true, nil), (.never, false, true, nil), (.never, true, false, nil),
            (.new, true, true, .newDevice), (.new, false, true, nil),
            (.new, true, false, .newDevice), (.new, false, false, nil),
            (.always, true, true, .newDevice), (.always, false, true, .signIn),
            (.always, true, false, .newDevice), (.always, false, false, nil),
        ] as [(IdentitySettings.SignInMailMode, Bool, Bool, SignInMailRule.Mail?)])
    func table(
        mode: IdentitySettings.SignInMailMode, isNew: Bool, isSignIn: Bool,
        mail: SignInMailRule.Mail?
    ) {
        #expect(SignInMailRule.mail(mode, isNew: isNew, isSignIn: isSignIn) == mail)
    }

    /// Registers with a proved address.
    private func registered(
        _ mode: IdentitySettings.SignInMailMode
    ) async throws -> IdentityFixture {
        let fixture = try IdentityFixture(adjusting: { $0.signInMail = mode })
        _ = try await fixture.register()
        try await fixture.change("UPDATE email_addresses SET proved_at_ms = 1")
        return fixture
    }

    private func signIn(
        _ fixture: IdentityFixture, on device: String = "device-canary", key: String? = nil
    ) async throws {
        _ = try await fixture.accounts.verifyPassword(
            .init(
                signIn: .init(
                    email: "ada@example.org", password: "Correct7Horse",
                    device: .init(deviceId: device, platform: "cli", name: "Ada's laptop"))),
            fixture.context(key))
    }

    private func mails(_ fixture: IdentityFixture) async throws -> [String] {
        try await fixture.relay()
        return fixture.templates.filter { $0 != "verify-email" }.sorted()
    }

    @Test("always: each sign-in, with method and device, and a new device by its own mail")
    func always() async throws {
        let fixture = try await registered(.always)
        for _ in 0..<2 { try await signIn(fixture, key: "k") }
        #expect(try await mails(fixture) == ["sign-in"])
        let mail = try #require(
            fixture.notifications.mails.last { $0.template == "sign-in" })
        let values = mail.variables.reduce(into: [:]) { $0[$1.name] = $1.value }
        #expect(values["method"] == "password" && values["device"] == "Ada's laptop")
        try await signIn(fixture, on: "another")
        #expect(try await mails(fixture) == ["new-device", "sign-in"])
    }

    @Test("always: neither a sign-up nor a proof in the own session is a sign-in")
    func others() async throws {
        let fixture = try await registered(.always)
        let (_, token) = try await fixture.member("bob@example.org")
        try await fixture.change("UPDATE email_addresses SET proved_at_ms = 1")
        _ = try await fixture.accounts.proveByPassword(
            .init(
                reauthentication: .init(
                    device: IdentityFixture.device, proof: .password("Correct7Horse"))),
            fixture.relayed(token))
        _ = try await fixture.signIn(by: .token("g1", email: "eve@example.org"))
        #expect(try await mails(fixture) == ["welcome"])
        _ = try await fixture.signIn(by: .token("g1", email: "eve@example.org"))
        #expect(try await mails(fixture) == ["sign-in", "welcome"])
    }

    @Test("never: not even from a new device, which the audit trail has")
    func never() async throws {
        let fixture = try await registered(.never)
        try await signIn(fixture)
        try await signIn(fixture, on: "another")
        #expect(try await mails(fixture).isEmpty)
        #expect(try await fixture.audited("sign-in.new-device") == 1)
    }
}
