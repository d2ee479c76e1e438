import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

@Suite("N-01: when the owner of an account is welcomed", .timeLimit(.minutes(1)))
struct WelcomeTests {
    typealias Mode = IdentitySettings.WelcomeMailMode

    @Test(
        "the table",
        arguments: [
            // The moments and facts that a mail needs: proved, complete.
            (.verified, .signUp, true, false, true), (.verified, .signUp, false, false, false),
            (.verified, .verification, false, false, true),
            (.verified, .completion, true, false, false),
            (.signUp, .signUp, true, false, true), (.signUp, .signUp, false, false, false),
            (.signUp, .verification, false, true, false),
            (.signUp, .completion, true, false, false),
            (.profile, .signUp, true, false, false),
            (.profile, .verification, false, false, false),
            (.profile, .verification, false, true, true),
            (.profile, .completion, false, false, false),
            (.profile, .completion, true, false, true),
            (.never, .signUp, true, true, false), (.never, .verification, true, true, false),
            (.never, .completion, true, true, false),
        ] as [(Mode, WelcomeRule.Moment, Bool, Bool, Bool)])
    func table(
        mode: Mode, moment: WelcomeRule.Moment, isProved: Bool, isComplete: Bool,
        isWelcomed: Bool
    ) {
        #expect(
            WelcomeRule.isWelcomed(
                at: moment, as: mode, isProved: isProved, isComplete: isComplete) == isWelcomed)
    }

    private func fixture(
        _ mode: Mode, displayName: IdentitySettings.DisplayNameMode = .optional
    ) throws -> IdentityFixture {
        try IdentityFixture(displayName: displayName, adjusting: { $0.welcomeMail = mode })
    }

    private func mails(_ fixture: IdentityFixture) async throws -> [String] {
        try await fixture.relay()
        return fixture.templates
    }

    @Test(
        "a sign-up with a password, whose address is verified by the link",
        arguments: [(.verified, true), (.signUp, false), (.profile, true), (.never, false)]
            as [(Mode, Bool)])
    func password(mode: Mode, isWelcomed: Bool) async throws {
        let fixture = try fixture(mode)
        _ = try await fixture.registerProved()
        #expect(
            try await mails(fixture)
                == (isWelcomed ? ["verify-email", "welcome"] : ["verify-email"]))
    }

    @Test(
        "a sign-up with a provider, whose address is verified at once",
        arguments: [(.verified, true), (.signUp, true), (.profile, true), (.never, false)]
            as [(Mode, Bool)])
    func provider(mode: Mode, isWelcomed: Bool) async throws {
        let fixture = try fixture(mode)
        for _ in 0..<2 { _ = try await fixture.signIn(by: .token("g1", email: "a@example.org")) }
        #expect(try await mails(fixture) == (isWelcomed ? ["welcome"] : []))
    }

    @Test("profile: the mail waits for the name that the app demands, and comes once")
    func completed() async throws {
        let fixture = try fixture(.profile, displayName: .required)
        let account = try await fixture.account(by: .token("g1", email: "a@example.org"))
        #expect(try await mails(fixture).isEmpty)
        let session = fixture.devices.open(account.accountId)
        for name in ["Ada", "Ada L."] {
            _ = try await fixture.service.data.profiles.updateProfile(
                .init(name: .displayName(name)), fixture.relayed(session))
        }
        #expect(try await mails(fixture) == ["welcome"])
        let name = fixture.notifications.mails.last?.variables.first { $0.name == "name" }
        #expect(name?.value == "Ada")
    }

    @Test("profile: an address that is not verified gets no mail until it is")
    func unproved() async throws {
        let fixture = try fixture(.profile)
        let account = try #require(try await fixture.register().account)
        #expect(try await mails(fixture) == ["verify-email"])
        _ = try await fixture.accounts.confirmEmail(
            .init(token: try fixture.latestToken()),
            fixture.relayed(fixture.devices.open(account.accountId)))
        #expect(try await mails(fixture) == ["verify-email", "welcome"])
    }

    @Test("a strict sign-up is welcomed when its claim is confirmed", arguments: Mode.allCases)
    func strict(mode: Mode) async throws {
        let fixture = try IdentityFixture(
            enumeration: .strict, adjusting: { $0.welcomeMail = mode })
        let account = try #require(try await fixture.register().account)
        try await fixture.relay()
        _ = try await fixture.accounts.confirmEmail(
            .init(token: try fixture.latestToken()),
            fixture.relayed(fixture.devices.open(account.accountId)))
        let isWelcomed = mode == .verified || mode == .profile
        #expect(try await mails(fixture).contains("welcome") == isWelcomed)
    }
}
