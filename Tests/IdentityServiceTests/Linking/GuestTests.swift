import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService
@testable import PersonalData

@Suite("G-07: guest accounts", .timeLimit(.minutes(1)))
struct GuestTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture(guestData: .ask) }

    private let ada = GatewayV1.ProviderToken.token(
        "g1", email: "ada@example.org", name: "Ada")

    private func register(
        _ guest: String?, key: String? = nil, email: String = "ada@example.org"
    ) async throws -> IdentityV1.RegisterResponse {
        try await fixture.accounts.register(
            .init(
                signUp: .init(
                    email: email, password: "Correct7Horse", device: IdentityFixture.device,
                    displayName: "Ada", mailLanguage: "en")), fixture.relayed(guest, key))
    }

    @Test("G-07: a guest is an account with a profile and a key, and without sign-in methods")
    func made() async throws {
        let answer = try await fixture.identities.signInAsGuest(
            .init(device: IdentityFixture.device), fixture.context())
        let account = try #require(answer.account)
        #expect(account.isGuest && account.methods.isEmpty && account.email.isEmpty)
        #expect(answer.isNewUser && answer.proof?.amr == ["anon"])
        #expect(fixture.keys.proofs.isGenuine(try #require(answer.proof)))
        #expect(try await fixture.audited("account.guest-registered") == 1)
        try await fixture.relay()
        #expect(fixture.templates.isEmpty)
    }

    @Test("G-07: a provider upgrades a guest in place, proves the address and ends the old session")
    func byProvider() async throws {
        let guest = try await fixture.guest()
        let answer = try await fixture.signIn(by: ada, guest: guest.token)
        let account = try #require(answer.account)
        #expect(account.accountId == guest.account && !account.isGuest)
        #expect(answer.isUpgraded && answer.isNewUser && answer.collision == nil)
        #expect(account.email == "ada@example.org" && account.emailVerified)
        #expect(account.displayName == "Ada" && account.methods == ["google"])
        #expect(try await fixture.count("accounts") == 1)
        try await fixture.relay()
        let end = try #require(fixture.sessions.ended.first)
        #expect(end.accountId == guest.account && end.reason == .signedOut)
        #expect(try #require(answer.proof).provedAtMs >= end.beforeMs)
        #expect(fixture.templates == ["welcome"])
        #expect(try await fixture.signIn(by: ada).account?.accountId == guest.account)
    }

    @Test("G-07: a provider without an email upgrades a guest without an address")
    func withoutEmail() async throws {
        let guest = try await fixture.guest()
        let account = try #require(
            try await fixture.signIn(by: .token("g1"), guest: guest.token).account)
        #expect(account.accountId == guest.account && account.email.isEmpty && !account.isGuest)
    }

    @Test("G-07: email and password upgrade a guest in place")
    func byPassword() async throws {
        let guest = try await fixture.guest()
        let answer = try await register(guest.token)
        let account = try #require(answer.account)
        #expect(account.accountId == guest.account && !account.isGuest)
        #expect(account.methods == ["password"] && account.displayName == "Ada")
        #expect(!account.emailVerified)
        #expect(try await fixture.signIn().account?.accountId == guest.account)
        try await fixture.relay()
        let end = try #require(fixture.sessions.ended.first)
        #expect(try #require(answer.proof).provedAtMs >= end.beforeMs)
        #expect(fixture.templates == ["verify-email"])
        #expect(try await fixture.audited("account.guest-upgraded") == 1)
    }

    @Test("G-25: the repeat of an upgrade by password succeeds although the guest's session ended")
    func byPasswordAgain() async throws {
        let guest = try await fixture.guest()
        let first = try await register(guest.token, key: "k")
        fixture.devices.end(guest.token)
        let second = try await register(guest.token, key: "k")
        #expect(first.account?.accountId == second.account?.accountId)
        #expect(try await refusal { try await register(guest.token) }.code == .sessionEnded)
        #expect(try await fixture.count("accounts") == 1)
    }

    @Test("G-02: a taken address leaves the guest unchanged")
    func taken() async throws {
        _ = try await fixture.register()
        let guest = try await fixture.guest()
        #expect(try await refusal { try await register(guest.token) }.code == .emailAlreadyInUse)
        let row = try await fixture.store.read { [account = guest.account] session in
            try AccountID(text: account).flatMap { try session.account($0) }
        }
        #expect(row?.isGuest == true)
    }

    @Test("G-07: a sign-in ignores the session of a full account; a sign-up is already signed in")
    func full() async throws {
        let account = try await fixture.registerProved("eve@example.org")
        let token = fixture.devices.open(account.accountId)
        #expect(try await refusal { try await register(token) }.code == .alreadySignedIn)
        let answer = try await fixture.signIn(by: ada, guest: token)
        #expect(answer.isNewUser && !answer.isUpgraded && answer.collision == nil)
        #expect(answer.account?.accountId != account.accountId)
    }

    @Test("G-25: a sign-up's key in the name of another guest, or of none, is another request")
    func otherGuest() async throws {
        let (guest, other) = (try await fixture.guest(), try await fixture.guest())
        _ = try await register(guest.token, key: "k")
        for token in [other.token, nil] {
            #expect(
                try await refusal { try await register(token, key: "k") }.code
                    == .idempotencyKeyReused)
        }
    }

    @Test("G-07: an invalid access token upgrades nothing and creates nothing")
    func noToken() async throws {
        #expect(
            try await refusal { try await fixture.signIn(by: ada, guest: "made up") }.code
                == .sessionEnded)
        #expect(try await refusal { try await register("made up") }.code == .sessionEnded)
        #expect(try await fixture.count("accounts") == 0)
    }

    @Test("G-16: a guest whose identity has an account signs in to it and gets a choice token")
    func collision() async throws {
        let owner = try await fixture.account(by: ada)
        let guest = try await fixture.guestWithDocument()
        let answer = try await fixture.signIn(by: ada, guest: guest.token)
        #expect(answer.account?.accountId == owner.accountId)
        #expect(!answer.isUpgraded && !answer.isNewUser)
        let collision = try #require(answer.collision)
        #expect(collision.guest?.accountId == guest.account && collision.guest?.isGuest == true)
        let choice = try #require(
            CollisionChoice(token: collision.choiceToken, fixture.keys, at: fixture.time.now()))
        #expect(choice.guest.text == guest.account && choice.account.text == owner.accountId)
        #expect(choice.expiresAt.milliseconds == collision.expiresAtMs)
        try await fixture.relay()
        #expect(fixture.sessions.ended.isEmpty)
    }

    @Test("G-16: a guest whose email leads to an account, linked or taken over, gets a choice")
    func collisionByEmail() async throws {
        _ = try await fixture.register(password: "Stranger7Password")
        let guest = try await fixture.guestWithDocument()
        let taken = try await fixture.signIn(by: ada, guest: guest.token)
        #expect(taken.removedMethods == ["password"] && taken.collision != nil)
        let linked = try await fixture.signIn(
            by: .token("a1", email: "ada@example.org", by: "apple"), guest: guest.token)
        #expect(linked.isLinked && linked.collision?.guest?.accountId == guest.account)
    }

    @Test("G-16: a choice token is valid for one day, and any other token is refused")
    func choiceToken() throws {
        let (guest, account) = (
            try #require(AccountID(key: 1)), try #require(AccountID(key: .max))
        )
        let now = fixture.time.now()
        let choice = CollisionChoice(guest: guest, generation: 7, account: account, at: now)
        let token = try choice.token(fixture.keys)
        func read(_ token: String, after wait: Duration = .zero) -> CollisionChoice? {
            CollisionChoice(token: token, fixture.keys, at: now + wait)
        }
        #expect(read(token) == choice)
        #expect(read(token, after: .seconds(86_399)) == choice)
        #expect(read(token, after: .seconds(86_400)) == nil)
        #expect(read("") == nil && read("nonsense") == nil && read(String(token.dropLast())) == nil)
        #expect(read(String(token.reversed())) == nil)
    }
}
