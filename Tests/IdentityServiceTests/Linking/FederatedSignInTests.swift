import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-04, G-15: signing in with a provider", .timeLimit(.minutes(1)))
struct FederatedSignInTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    @Test("G-04: a first sign-in creates an account with a proved address")
    func create() async throws {
        let answer = try await fixture.signIn(
            by: .token("g1", email: "Ada@example.org", name: "Ada Lovelace"))
        let account = try #require(answer.account)
        #expect(answer.isNewUser && !answer.isLinked && !answer.isUpgraded)
        #expect(answer.removedMethods.isEmpty && answer.collision == nil)
        #expect(account.email == "Ada@example.org" && account.emailVerified)
        #expect(account.displayName == "Ada Lovelace")
        #expect(account.methods == ["google"] && !account.isGuest)
        #expect(account.lastSignIn == nil)
        let proof = try #require(answer.proof)
        #expect(proof.accountId == account.accountId && proof.amr == ["fed"])
        #expect(fixture.keys.proofs.isGenuine(proof))
        for kind in ["account.registered", "sign-in.succeeded"] {
            #expect(try await fixture.audited(kind) == 1, "\(kind)")
        }
        try await fixture.relay()
        #expect(fixture.templates == ["welcome"])
    }

    @Test("G-08: the next sign-in finds the same account and reports the time of the previous one")
    func again() async throws {
        let first = try await fixture.account(by: .token("g1", email: "ada@example.org"))
        let before = fixture.time.now().milliseconds
        fixture.time.advance(by: .seconds(60))
        // The email does not matter now: an identity is its issuer and subject.
        let answer = try await fixture.signIn(by: .token("g1", email: "other@example.org"))
        #expect(answer.account?.accountId == first.accountId)
        #expect(answer.account?.email == "ada@example.org")
        #expect(!answer.isNewUser && answer.account?.lastSignIn == .lastSignInAtMs(before))
        #expect(try await fixture.count("accounts") == 1)
    }

    @Test("G-04: the same subject of another issuer is another account")
    func issuers() async throws {
        let google = try await fixture.account(by: .token("1"))
        let apple = try await fixture.account(by: .token("1", by: "apple"))
        #expect(google.accountId != apple.accountId)
    }

    @Test("G-04: the look-up key separates issuer and subject unambiguously")
    func delimited() {
        func key(_ issuer: String, _ subject: String) -> [UInt8] {
            fixture.keys.lookUpKey(
                of: ProvedIdentity(method: .provider("x"), issuer: issuer, subject: subject))
        }
        #expect(key("https://a", "bc") != key("https://ab", "c"))
        #expect(key("https://a", "bc") == key("https://a", "bc"))
    }

    @Test("G-04: a provider under another name signs in to the accounts that it is linked to")
    func renamed() async throws {
        func proved(by provider: String, named name: String) -> ProvedIdentity {
            var proved = ProvedIdentity(
                method: .provider(provider), issuer: "https://id.example", subject: "1")
            proved.displayName = name
            return proved
        }
        let first = try await fixture.signIn(proved(by: "former", named: "Ada")).account
        // The provider's new display name is written, and the account read again.
        let again = try await fixture.signIn(proved(by: "current", named: "Ada Lovelace")).account
        #expect(again?.accountId == first?.accountId && again?.displayName == "Ada Lovelace")
        #expect(again?.methods == ["former"])
        // As docker/sign-in.md says.
        try await fixture.change(
            "UPDATE identities SET method = 'current' WHERE method = 'former'")
        let last = try await fixture.signIn(proved(by: "current", named: "Ada Lovelace")).account
        #expect(last?.accountId == first?.accountId && last?.methods == ["current"])
    }

    @Test(
        "X-04: an unverified email neither links to an account nor claims its address",
        arguments: [true, false])
    func unverified(isProved: Bool) async throws {
        let owner =
            isProved
            ? try await fixture.registerProved()
            : try #require(try await fixture.register().account)
        let answer = try await fixture.signIn(
            by: .token("g1", email: "ada@example.org", isVerified: false))
        let account = try #require(answer.account)
        #expect(answer.isNewUser && account.accountId != owner.accountId)
        #expect(account.email.isEmpty && !account.emailVerified)
        _ = try await fixture.signIn(password: "Correct7Horse")
        let free = try await fixture.account(
            by: .token("g2", email: "free@example.org", isVerified: false))
        #expect(free.email.isEmpty)
        _ = try await fixture.register("free@example.org")
    }

    @Test("G-15: a proved owner's account is linked, mailed and audited, and keeps its password")
    func link() async throws {
        let owner = try await fixture.registerProved()
        let answer = try await fixture.signIn(by: .token("g1", email: "ADA@example.org"))
        #expect(answer.account?.accountId == owner.accountId)
        #expect(answer.isLinked && !answer.isNewUser && answer.removedMethods.isEmpty)
        #expect(answer.account?.methods == ["password", "google"])
        _ = try await fixture.signIn(password: "Correct7Horse")
        try await fixture.relay()
        let mail = try #require(fixture.notifications.mails.last { $0.template == "method-added" })
        #expect(mail.recipient == "ada@example.org")
        #expect(mail.variables.first { $0.name == "method" }?.value == "google")
        #expect(try await fixture.audited("identity.linked") == 1)
        #expect(fixture.sessions.ended.isEmpty)
    }

    @Test("G-15: two providers with one address lead to one account")
    func twoProviders() async throws {
        let google = try await fixture.account(by: .token("g1", email: "ada@example.org"))
        let apple = try await fixture.account(
            by: .token("a1", email: "ada@example.org", by: "apple"))
        #expect(google.accountId == apple.accountId && apple.methods == ["apple", "google"])
    }

    @Test("G-05: a relay address becomes the new account's proved address")
    func relay() async throws {
        let token = GatewayV1.ProviderToken.token(
            "a1", email: "x1@privaterelay.appleid.com", by: "apple", isRelay: true)
        let account = try await fixture.account(by: token)
        #expect(account.email == "x1@privaterelay.appleid.com" && account.emailVerified)
    }

    @Test("X-04: a new holder of an address does not get the previous holder's account")
    func reassigned() async throws {
        _ = try await fixture.account(by: .token("g1", email: "ada@example.org"))
        let error = try await refusal {
            try await fixture.signIn(by: .token("g2", email: "ada@example.org"))
        }
        #expect(error.code == .emailAlreadyInUse)
        #expect(try await fixture.count("identities") == 1)
    }

    @Test("G-15: a disabled account is neither signed in to nor linked", arguments: [2, 4])
    func stopped(status: Int) async throws {
        _ = try await fixture.registerProved()
        _ = try await fixture.account(by: .token("g1", email: "ada@example.org"))
        try await fixture.change("UPDATE accounts SET status = \(status)")
        for token in [
            GatewayV1.ProviderToken.token("g1", email: "ada@example.org"),
            .token("a1", email: "ada@example.org", by: "apple"),
        ] {
            let error = try await refusal { try await fixture.signIn(by: token) }
            #expect(error.code == .accountDisabled)
        }
        #expect(try await fixture.count("identities") == 1)
        #expect(
            try await fixture.audited("sign-in.failed", outcome: "auth/user-disabled") == 2)
    }

    @Test("G-05: a nonce works once, even if its sign-in was refused")
    func nonce() async throws {
        _ = try await fixture.signIn(by: .token("g1", nonce: "n1"))
        let used = try await refusal { try await fixture.signIn(by: .token("g1", nonce: "n1")) }
        #expect(used.code == .invalidNonce)
        try await fixture.change("UPDATE accounts SET status = 2")
        _ = try await refusal { try await fixture.signIn(by: .token("g1", nonce: "n2")) }
        try await fixture.change("UPDATE accounts SET status = 1")
        let refused = try await refusal { try await fixture.signIn(by: .token("g1", nonce: "n2")) }
        #expect(refused.code == .invalidNonce)
        _ = try await fixture.signIn(by: .token("g1", nonce: "n3"))
        #expect(try await fixture.count("used_nonces") == 3)
    }

    @Test("G-05: expired nonces are deleted")
    func noncesPurged() async throws {
        _ = try await fixture.signIn(by: .token("g1", nonce: "n1"))
        try await fixture.change("UPDATE used_nonces SET expires_at_ms = 1")
        _ = try await fixture.signIn(by: .token("g1", nonce: "n2"))
        #expect(try await fixture.count("used_nonces") == 2, "by no sign-in")
        try await fixture.purge()
        #expect(try await fixture.count("used_nonces") == 1)
    }

    @Test("A-01: an invalid token is audited")
    func forged() async throws {
        let error = try await refusal {
            try await fixture.signIn(by: .init(provider: "google", idToken: "nonsense"))
        }
        #expect(error.code == .invalidProviderToken)
        #expect(
            try await fixture.count(
                "refusal_count",
                where: "kind = 'sign-in.failed' AND outcome = 'auth/invalid-provider-token'") == 1)
    }

    @Test("G-04: an unsafe name or picture of a provider is left out of the profile")
    func profile() async throws {
        func profile(_ name: String, _ photo: String) -> ShownProfile {
            var proved = ProvedIdentity(method: .provider("google"), issuer: "i", subject: "s")
            proved.displayName = name
            proved.photoURL = photo
            return ShownProfile(proved)
        }
        #expect(profile("Ada", "https://p.example/1.png").photoURL != nil)
        #expect(profile("Ada", "").photoURL == nil && profile("", "").displayName == nil)
        for photo in ["javascript:alert(1)", "http://p.example/", "https://p.example/\"><b>"] {
            #expect(profile("Ada", photo).photoURL == nil, "\(photo)")
        }
        #expect(profile("https://evil.example\nClick", "").displayName == nil)
        #expect(profile(String(repeating: "a", count: 129), "").displayName == nil)
    }

    @Test("A-02: the stored details of an identity are read back as written")
    func details() throws {
        for subject in [
            "1", "\"}\\", "a\nb\u{1}", "übergrößen 🙂", String(repeating: "x", count: 255),
        ] {
            var proved = ProvedIdentity(
                method: .provider("x"), issuer: "https://i.example/\"", subject: subject)
            proved.displayName = "Ada \"Lovelace\""
            let details = IdentityDetails(proved)
            #expect(try IdentityDetails(text: details.text) == details)
        }
        #expect(throws: ServiceError.self) { try IdentityDetails(text: "{}") }
        #expect(throws: ServiceError.self) { try IdentityDetails(text: "") }
    }

    @Test("G-15: a reset link to the proved address adds a password to a provider's account")
    func passwordAfterProvider() async throws {
        let account = try await fixture.account(by: .token("g1", email: "ada@example.org"))
        try await fixture.resetPassword()
        let signedIn = try await fixture.signIn(password: "Owner8Password")
        #expect(signedIn.account?.accountId == account.accountId)
        #expect(signedIn.account?.methods == ["password", "google"])
    }

    @Test("A-02: an identity's details are not readable in the store")
    func sealed() async throws {
        _ = try await fixture.account(
            by: .token("canary-subject", email: "canary@example.org", name: "Canary"))
        let blobs = try await fixture.store.read { session in
            try session.query("SELECT details, look_up_key FROM identities") {
                try $0.blob(0) + $0.blob(1)
            }
        }
        let text = String(decoding: blobs.joined(), as: UTF8.self).lowercased()
        #expect(!blobs.isEmpty && !text.contains("canary") && !text.contains("google"))
    }

    @Test("I-04: every look-up of a sign-in uses a key or an index")
    func plans() async throws {
        // A server's plan depends on the number of rows.
        let fixture = try IdentityFixture(engine: SQLiteEngine())
        let account = try await fixture.account(by: .token("g1", email: "ada@example.org"))
        let id = try #require(AccountID(text: account.accountId))
        let plans = WatchedPlans()
        try await fixture.store.read { session in
            let watched = PlannedSession(session: session, plans: plans)
            _ = try watched.account(id)
            _ = try watched.identity(lookUpKey: [1])
            _ = try watched.identities(of: id)
            _ = try watched.passwordHolder(id)
        }
        #expect(plans.lines.count >= 8)
        #expect(plans.lines.filter { $0.contains("SCAN") } == [])
    }
}
