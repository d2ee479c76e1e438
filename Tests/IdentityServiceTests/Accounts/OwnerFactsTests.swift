import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

/// A session service that knows when an account was used, is unavailable, or hangs.
private struct LastUse: AccountActivityAPI {
    var isAway = false
    /// On its clock each call takes until its deadline.
    var hanging: ManualTime?

    func getAccountActivity(
        _ request: SessionV1.GetAccountActivityRequest, _ context: CallContext
    ) async throws -> SessionV1.GetAccountActivityResponse {
        if let hanging {
            hanging.advance(by: context.deadline - hanging.uptime())
            throw ServiceError(.deadlineExceeded)
        }
        if isAway { throw ServiceError(.unavailable) }
        return .init(
            activity: .init(
                liveSessions: 1, lastActivity: .lastActivityAtMs(10),
                lastSeen: .lastSeenAtMs(20)))
    }

    func listAccountActivity(
        _ request: SessionV1.ListAccountActivityRequest, _ context: CallContext
    ) async throws -> SessionV1.ListAccountActivityResponse { throw ServiceError(.unknownMethod) }
}

@Suite("I-11: what an account tells its owner", .timeLimit(.minutes(1)))
struct OwnerFactsTests {
    private static func profile(
        _ fixture: IdentityFixture, _ token: String
    ) async throws -> GatewayV1.Account {
        let profile = try await fixture.profiles.getProfile(.init(), fixture.relayed(token))
        return try #require(profile.account)
    }

    private static func account(
        _ fixture: IdentityFixture, _ id: String
    ) async throws -> GatewayV1.Account {
        let answer = try await fixture.accounts.getAccount(
            .init(accountId: id), fixture.context())
        return try #require(answer.account)
    }

    @Test("the profile has the times of the last use, and other answers do not")
    func used() async throws {
        let fixture = try IdentityFixture(activity: LastUse())
        let ada = try await fixture.member()
        let profile = try await Self.profile(fixture, ada.token)
        #expect(profile.lastActivity == .lastActivityAtMs(10))
        #expect(profile.lastSeen == .lastSeenAtMs(20))
        let account = try await Self.account(fixture, profile.accountId)
        #expect(account.lastActivity == nil && account.lastSeen == nil)
    }

    @Test("X-07: the profile is there without session's answer")
    func away() async throws {
        let fixture = try IdentityFixture(activity: LastUse(isAway: true))
        let ada = try await fixture.member()
        let profile = try await Self.profile(fixture, ada.token)
        #expect(profile.email == "ada@example.org")
        #expect(profile.lastActivity == nil && profile.lastSeen == nil)
    }

    @Test("X-07: the profile waits half a second for a session service that hangs")
    func hanging() async throws {
        let time = ManualTime()
        let fixture = try IdentityFixture(time: time, activity: LastUse(hanging: time))
        let ada = try await fixture.member()
        let before = time.uptime()
        let profile = try await Self.profile(fixture, ada.token)
        #expect(profile.lastActivity == nil && profile.lastSeen == nil)
        #expect(time.uptime() - before == .milliseconds(500))
    }

    @Test("the last verification mail has its time, and another address has none")
    func verificationMail() async throws {
        let fixture = try IdentityFixture()
        let ada = try #require(try await fixture.register().account)
        let first = fixture.time.now().milliseconds
        #expect(ada.verificationMail == .verificationMailSentAtMs(first))
        fixture.time.advance(by: .seconds(60))
        let token = fixture.devices.open(ada.accountId)
        _ = try await fixture.credentials.resendVerification(.init(), fixture.relayed(token))
        let second = fixture.time.now().milliseconds
        let again = try await Self.account(fixture, ada.accountId)
        #expect(again.verificationMail == .verificationMailSentAtMs(second))
        let id = try #require(AccountID(text: ada.accountId))
        try await fixture.store.write(about: [.account(id)]) {
            try $0.forgetVerificationSent(of: id)
        }
        #expect(try await Self.account(fixture, ada.accountId).verificationMail == nil)
        let guest = try await fixture.guest()
        #expect(try await Self.account(fixture, guest.account).verificationMail == nil)
    }

    @Test(
        "X-02: under strict enumeration the time does not say whether the mail was withheld",
        arguments: [true, false])
    func withheld(isWithheld: Bool) async throws {
        let fixture = try IdentityFixture(enumeration: .strict)
        let answer = try await fixture.accounts.register(
            .init(
                signUp: .init(
                    email: "ada@example.org", password: .init(text: "Correct7Horse"),
                    device: IdentityFixture.device), mailWithheld: isWithheld),
            fixture.relayed(nil))
        let now = fixture.time.now().milliseconds
        #expect(answer.account?.verificationMail == .verificationMailSentAtMs(now))
    }

    @Test("G-23: the consents in force are there, and a list of accounts leaves them out")
    func consents() async throws {
        let fixture = try IdentityFixture(consent: .first(.required))
        let ada = try await fixture.register(accepting: .first).account
        #expect(ada.consents.map(\.kind) == [.terms, .privacy])
        #expect(ada.consents.map(\.version) == ["t1", "p1"])
        try await fixture.withdraw(.terms, fixture.devices.open(ada.accountId))
        let later = try await Self.account(fixture, ada.accountId)
        #expect(later.consents.map(\.kind) == [.privacy])
        let admin = fixture.admin(LastUse())
        let tool = fixture.context(application: "tool")
        let list = try await admin.listAccounts(.init(), tool).accounts
        #expect(list.compactMap(\.account?.consents) == [[]])
        let one = try await admin.lookUpAccount(.init(by: .accountId(ada.accountId)), tool)
        #expect(one.account?.account?.consents == later.consents)
    }

    @Test("G-23: who was old enough at the sign-up is verified, and the date is not kept")
    func age() async throws {
        let fixture = try IdentityFixture(consent: .age(.allowed))
        let adult = try await fixture.register(accepting: .thirteen).account
        #expect(adult.isAgeVerified)
        #expect(try await fixture.count("profiles", where: "birth_date IS NOT NULL") == 0)
        let child = try await fixture.register("kid@example.org", accepting: .eleven).account
        #expect(!child.isAgeVerified)
        let guest = try await fixture.guest()
        #expect(try await !Self.account(fixture, guest.account).isAgeVerified)
        let off = try IdentityFixture()
        #expect(try await !off.register(accepting: .thirteen).account.isAgeVerified)
    }

    @Test("G-23: who needs a parent is not verified, whatever date was named later")
    func parent() async throws {
        let fixture = try IdentityFixture(consent: .age(.allowed))
        let child = try await fixture.register(accepting: .eleven).account
        try await fixture.change("UPDATE profiles SET age_verified_at_ms = 1")
        #expect(try await !Self.account(fixture, child.accountId).isAgeVerified)
    }

    @Test("G-23, X-04: a takeover ends the verdict, which was about the former holder")
    func takeover() async throws {
        let fixture = try IdentityFixture(consent: .age())
        let held = try await fixture.register(accepting: .thirteen).account
        #expect(held.isAgeVerified)
        let taken = try await fixture.identities.signInWithProvider(
            .init(
                token: .token("g1", email: "ada@example.org"),
                device: IdentityFixture.device("d2")), fixture.context())
        #expect(taken.account?.accountId == held.accountId)
        #expect(taken.account?.isAgeVerified == false)
    }
}
