import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("N-01: which mails have a link that disowns, and for how long", .timeLimit(.minutes(1)))
struct DisownLinksTests {
    let fixture: IdentityFixture
    let account: String
    let session: String

    private let google = GatewayV1.ProviderToken.token("g1", email: "ada.g@example.org")

    init() async throws {
        fixture = try IdentityFixture()
        account = try await fixture.registerProved().accountId
        session = fixture.devices.open(account)
    }

    @Test("attack: to an unproved address no link is mailed, or its reader could take the account")
    func unproved() async throws {
        let grace = try await fixture.member("grace@example.org")
        _ = try await fixture.link(.token("g2"), in: grace.token)
        try await fixture.relay()
        let mail = try #require(fixture.mail("method-added"))
        #expect(mail.recipient == "grace@example.org")
        #expect(mail.variables.contains { $0.name == "not-me-link" && $0.value.isEmpty })
        #expect(try await fixture.count("links", where: "purpose = 8") == 0)
    }

    @Test("links do not void one another; of nine the oldest goes, but not one about a method")
    func bound() async throws {
        _ = try await fixture.link(google, in: session)
        let method = try await fixture.notMeToken("method-added")
        var tokens: [String] = []
        for number in 1...9 {
            try await fixture.signInAsThief(on: "thief-\(number)")
            tokens.append(try await fixture.notMeToken())
            // Three notices of a kind an hour.
            fixture.time.advance(by: .seconds(3_600))
        }
        var usable: [Bool] = []
        for token in tokens { usable.append(try await fixture.describesDisowning(token).usable) }
        #expect(usable == [false, false] + Array(repeating: true, count: 7))
        #expect(try await fixture.describesDisowning(method).usable)
        #expect(try await fixture.count("links", where: "purpose = 8") == DisownLinks.liveMax)
        try await fixture.disown(tokens[4])
        #expect(try await fixture.describesDisowning(tokens[8]).usable, "each is in another mail")
    }

    @Test("a method that was removed and linked again is not removed by the mail of before")
    func linkedAgain() async throws {
        _ = try await fixture.link(google, in: session)
        let former = try await fixture.notMeToken("method-added")
        _ = try await fixture.unlink("google", in: session)
        _ = try await fixture.link(google, in: session)
        let token = try await fixture.notMeToken("method-added")
        #expect(token != former)
        try await fixture.expectNotDisowning(former, "its method is gone")
        try await fixture.disown(token)
        #expect(try await fixture.count("identities") == 0)
    }

    @Test("a reset voids the links but those about a method, which a thief may have added")
    func reset() async throws {
        _ = try await fixture.link(google, in: session)
        let method = try await fixture.notMeToken("method-added")
        try await fixture.signInAsThief()
        let signIn = try await fixture.notMeToken()
        try await fixture.resetPassword()
        try await fixture.expectNotDisowning(signIn, "the owner has set a password since")
        try await fixture.disown(method)
        #expect(try await fixture.count("identities") == 0)
    }

    @Test("X-04: a takeover leaves no link of before, and its owner gets links of the own sign-ins")
    func takeover() async throws {
        let stranger = try await fixture.member("grace@example.org")
        _ = try await fixture.link(.token("s1", by: "apple"), in: stranger.token)
        try await fixture.change("UPDATE email_addresses SET proved_at_ms = 1")
        try await fixture.signInAsThief()
        _ = try await fixture.notMeToken()
        try await fixture.change("UPDATE email_addresses SET proved_at_ms = NULL")
        for email in ["ada@example.org", "grace@example.org"] {
            let owner = GatewayV1.ProviderToken.token("of \(email)", email: email)
            #expect(try await fixture.signIn(by: owner).removedMethods.contains("password"))
        }
        #expect(try await fixture.count("links") == 0)
        _ = try await fixture.identities.signInWithProvider(
            .init(
                token: .token("of grace@example.org", email: "grace@example.org"),
                device: .init(deviceId: "new", platform: "cli")), fixture.context())
        let email = try await fixture.disown(try await fixture.notMeToken())
        #expect(email == "grace@example.org")
        #expect(fixture.mail("sign-in-disowned")?.recipient == "grace@example.org")
    }
}

@Suite("N-01: a disowned password is as none, by one rule", .timeLimit(.minutes(1)))
struct DisownedPasswordTests {
    let fixture: IdentityFixture
    let account: String
    /// A session that was opened with the other method, after the password was disowned.
    let session: String

    init() async throws {
        fixture = try IdentityFixture()
        account = try await fixture.registerProved().accountId
        let google = GatewayV1.ProviderToken.token("g1")
        _ = try await fixture.link(google, in: fixture.devices.open(account))
        try await fixture.signInAsThief()
        try await fixture.disown(try await fixture.notMeToken())
        fixture.time.advance(by: .seconds(1))
        _ = try await fixture.account(by: google)
        session = fixture.devices.open(account, amr: Authentication.providerToken.amr)
    }

    @Test("sign-in, proof, change and another verification mail answer as to a wrong password")
    func wrong() async throws {
        let hashes = fixture.hashes
        let codes = [
            try await refusal { try await fixture.signIn() }.code,
            try await refusal {
                try await fixture.credentials.changePassword(
                    .init(
                        currentPassword: "Correct7Horse", newPassword: "Owners9Password",
                        device: IdentityFixture.device), fixture.relayed(session))
            }.code,
            try await refusal {
                try await fixture.emails.resendVerificationByPassword(
                    .init(
                        email: "ada@example.org", password: "Correct7Horse",
                        device: IdentityFixture.device), fixture.context())
            }.code,
        ]
        #expect(codes == Array(repeating: .invalidCredential, count: 3))
        #expect(fixture.hashes == hashes + 3, "each computes one hash, as for any wrong password")
        #expect(try await fixture.audited("sign-in.failed") >= 1)
    }

    @Test("it is in no list of methods, proves nothing, and is not what is left as the last one")
    func listed() async throws {
        #expect(try await fixture.listedMethods(in: session) == ["google"])
        let asked = try await fixture.accounts.getAccount(
            .init(accountId: account, withProofs: true), fixture.context())
        #expect(!asked.hasPassword && asked.account?.methods == ["google"])
        let codes = [
            try await refusal { try await fixture.unlink("google", in: session) }.code,
            try await refusal { try await fixture.unlink("password", in: session) }.code,
        ]
        #expect(codes == [.lastMethod, .methodNotLinked])
    }

    @Test("G-25: a repeat of the sign-up does not compare it")
    func signUp() async throws {
        let fixture = try IdentityFixture()
        _ = try await fixture.register(key: "k")
        _ = try await fixture.register(key: "k")
        try await fixture.change("UPDATE passwords SET disowned_at_ms = changed_at_ms")
        #expect(
            try await refusal { try await fixture.register(key: "k") }.code
                == .idempotencyKeyReused)
    }

    @Test("its hash is in no export of accounts")
    func exported() async throws {
        let exported = try await ImportFixture(fixture).export().flatMap(\.accounts)
        #expect(exported.map(\.passwordHash) == [""])
    }

    @Test("a reset makes a password count again, also one by a program of the release before")
    func again() async throws {
        try await fixture.resetPassword()
        #expect(try await fixture.count("passwords", where: "disowned_at_ms IS NULL") == 1)
        _ = try await fixture.signIn(password: "Owner8Password")
        // That program leaves the column alone.
        try await fixture.change("UPDATE passwords SET disowned_at_ms = changed_at_ms")
        #expect(
            try await refusal { try await fixture.signIn(password: "Owner8Password") }.code
                == .invalidCredential)
        try await fixture.change("UPDATE passwords SET changed_at_ms = changed_at_ms + 1")
        _ = try await fixture.signIn(password: "Owner8Password")
    }
}
