import Addresses
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("X-02: sign-up under strict enumeration", .timeLimit(.minutes(1)))
struct ClaimTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture(enumeration: .strict) }

    private func claim(
        _ email: String = "ada@example.org", password: String = "Correct7Horse",
        key: String? = nil
    ) async throws -> GatewayV1.Account {
        try #require(try await fixture.register(email, password: password, key: key).account)
    }

    /// Confirms in a session of an account; outside a session for nil.
    private func confirm(
        _ token: String, as account: String? = nil, password: String = "", key: String? = nil
    ) async throws -> GatewayV1.Account {
        let answer = try await fixture.accounts.confirmEmail(
            .init(token: token, password: .init(text: password)),
            fixture.relayed(account.map { fixture.devices.open($0) }, key))
        return try #require(answer.account)
    }

    private func refused(
        _ token: String, as account: String? = nil, password: String = ""
    ) async throws -> ErrorCode {
        try await refusal { try await confirm(token, as: account, password: password) }.code
    }

    @Test("X-02: sign-up makes a guest; the password works once the address is proved")
    func proved() async throws {
        let account = try await claim("Ada@example.org")
        #expect(account.isGuest && account.email == "" && account.methods == [])
        #expect(account.pendingEmail == "Ada@example.org")
        #expect(try await fixture.pendingEmail(account.accountId) == "Ada@example.org")
        #expect(try await fixture.refusedSignIn() == .invalidCredential)
        try await fixture.relay()
        let proved = try await confirm(try fixture.latestToken(), as: account.accountId)
        #expect(proved.accountId == account.accountId)
        #expect(proved.email == "Ada@example.org" && proved.emailVerified && !proved.isGuest)
        #expect(proved.methods == ["password"])
        #expect(try await fixture.signIn().account?.accountId == account.accountId)
        #expect(fixture.sessions.ended.isEmpty, "the sign-up's session stays valid")
        #expect(try await fixture.count("claims") == 0)
        try await fixture.relay()
        let welcome = try #require(fixture.mail("welcome"))
        #expect(welcome.recipient == "Ada@example.org")
        #expect(welcome.variables.first { $0.name == "name" }?.value == "Ada")
    }

    @Test("X-02: free, claimed and owned addresses get the same answer and one mail each")
    func alike() async throws {
        let owner = try await claim("owned@example.org")
        try await fixture.relay()
        _ = try await confirm(try fixture.latestToken(), as: owner.accountId)
        _ = try await claim("claimed@example.org")
        var answers: [AccountAnswer] = []
        for kind in ["free", "claimed", "owned"] {
            let before = try await fixture.count("outbox")
            let answer = try await fixture.register(
                "\(kind)@example.org", password: "Guessed7Horse")
            #expect(try await fixture.count("outbox") == before + 1)
            var account = try #require(answer.account)
            let told = try #require(
                try await fixture.accounts.getAccount(
                    .init(accountId: account.accountId), fixture.context()
                ).account)
            #expect(told.pendingEmail == account.pendingEmail)
            (account.accountId, account.pendingEmail) = ("", "")
            answers.append(
                AccountAnswer(account: account, requiredActions: answer.requiredActions))
        }
        #expect(Set(answers).count == 1)
        try await fixture.relay()
        let told = try #require(fixture.mail("email-already-registered"))
        #expect(told.recipient == "owned@example.org")
        #expect(told.variables.map(\.value).contains("https://app.example/forgot-password"))
    }

    @Test("X-04: the owner's click does not prove a stranger's claim, whatever password she enters")
    func strangersClaim() async throws {
        let stranger = try await claim(password: "Evil7Password")
        try await fixture.relay()
        let token = try fixture.latestToken()
        #expect(try await refused(token) == .passwordNeeded)
        #expect(try await refused(token, password: "Owners9Password") == .invalidCredential)
        // In her own guest's session the stranger's link still counts as opened elsewhere.
        let owner = try await claim(password: "Owners9Password")
        #expect(try await refused(token, as: owner.accountId) == .passwordNeeded)
        try await fixture.relay()
        _ = try await confirm(try fixture.latestToken(), as: owner.accountId)
        #expect(try await refused(token, as: stranger.accountId) == .invalidLink)
        #expect(try await fixture.refusedSignIn(password: "Evil7Password") == .invalidCredential)
        #expect(
            try await fixture.signIn(password: "Owners9Password").account?.accountId
                == owner.accountId)
    }

    @Test("X-02: a claim that lost the address looks pending to its maker")
    func lost() async throws {
        let stranger = try await claim(password: "Evil7Password", key: "s")
        // Mails of one round are delivered in parallel. The owner's link must come later.
        try await fixture.relay()
        let owner = try await claim(password: "Owners9Password")
        try await fixture.relay()
        _ = try await confirm(try fixture.latestToken(), as: owner.accountId)
        #expect(try await fixture.pendingEmail(stranger.accountId) == "ada@example.org")
        #expect(try await claim(password: "Evil7Password", key: "s") == stranger)
        let resent = try await fixture.credentials.resendVerification(
            .init(), fixture.relayed(fixture.devices.open(stranger.accountId)))
        #expect(resent.sent)
        try await fixture.relay()
        #expect(fixture.mail("email-already-registered") != nil)
        #expect(fixture.notifications.mails.filter { $0.template == "verify-email" }.count == 2)
    }

    @Test("X-02: the claim's password confirms elsewhere, until five wrong ones void the link")
    func elsewhere() async throws {
        let account = try await claim()
        try await fixture.relay()
        let token = try fixture.latestToken()
        for _ in 0..<5 {
            #expect(try await refused(token, password: "Wrong7Horse") == .invalidCredential)
        }
        #expect(try await refused(token, password: "Correct7Horse") == .invalidLink)
        _ = try await fixture.credentials.resendVerification(
            .init(), fixture.relayed(fixture.devices.open(account.accountId)))
        try await fixture.relay()
        let again = try fixture.latestToken()
        #expect(try await refused(token, as: account.accountId) == .invalidLink)
        #expect(try await confirm(again, password: "Correct7Horse").emailVerified)
    }

    @Test("X-04: an account that owned the address before strict mode keeps it, proved or not")
    func heldBefore() async throws {
        let friendly = try IdentityFixture()
        let held = try #require(try await friendly.register().account)
        friendly.store.close()
        let strict = try IdentityFixture(
            folder: friendly.folder, time: friendly.time, seed: 2, enumeration: .strict)
        _ = try await strict.register(password: "Guessed7Horse")
        try await strict.relay()
        #expect(strict.mail("email-already-registered")?.recipient == "ada@example.org")
        #expect(try await strict.signIn().account?.accountId == held.accountId)
    }

    @Test("X-04: a claim is void once a provider sign-in has taken the address")
    func takenMeanwhile() async throws {
        let account = try await claim()
        try await fixture.relay()
        let key = fixture.keys.lookUpKey(of: try #require(EmailAddress("ada@example.org")))
        try await fixture.store.writeUnchecked { transaction in
            try transaction.execute(
                "INSERT INTO accounts (account, status, created_at_ms) VALUES (7, 1, 1)")
            let owner = try #require(AccountID(key: 7))
            try transaction.insert(
                NewAddress(lookUpKey: key, sealed: [1], isProved: true), of: owner)
        }
        #expect(try await refused(try fixture.latestToken(), as: account.accountId) == .invalidLink)
    }

    @Test("X-02: claims expire with their links, and their accounts stay guests")
    func expires() async throws {
        let account = try await claim()
        try await fixture.relay()
        fixture.time.advance(by: .seconds(24 * 3_600))
        #expect(try await refused(try fixture.latestToken(), as: account.accountId) == .invalidLink)
        #expect(try await fixture.pendingEmail(account.accountId) == "")
        fixture.time.advance(by: .milliseconds(1))
        try await fixture.purge()
        #expect(try await fixture.count("claims") == 0)
        #expect(try await fixture.count("accounts", where: "is_guest = 1") == 1)
    }

    @Test("G-07: a guest who signs up keeps the account, and only its new session stays valid")
    func guest() async throws {
        let guest = try #require(
            try await fixture.identities.signInAsGuest(.init(), fixture.context()).account)
        let access = fixture.devices.open(guest.accountId, amr: ["anon"])
        let answer = try await fixture.accounts.register(
            .init(signUp: .init(email: "ada@example.org", password: "Correct7Horse")),
            fixture.relayed(access, "k"))
        #expect(answer.account?.accountId == guest.accountId)
        #expect(answer.account?.isGuest == true)
        try await fixture.relay()
        let ended = try #require(fixture.sessions.ended.first)
        #expect(ended.accountId == guest.accountId && fixture.sessions.ended.count == 1)
        #expect(try #require(answer.proof).provedAtMs >= ended.beforeMs)
        // The guest's session has ended, and the repeat is still answered.
        fixture.devices.end(access)
        let again = try await fixture.accounts.register(
            .init(signUp: .init(email: "ada@example.org", password: "Correct7Horse")),
            fixture.relayed(access, "k"))
        #expect(again.account == answer.account)
        let proved = try await confirm(try fixture.latestToken(), as: guest.accountId)
        #expect(proved.accountId == guest.accountId && !proved.isGuest)
        #expect(try await fixture.count("accounts") == 1)
    }

    @Test("X-04: a claim is void once its guest was upgraded in another way")
    func upgradedMeanwhile() async throws {
        let guest = try await claim("mallory@example.org", password: "Evil7Password")
        try await fixture.relay()
        let token = try fixture.latestToken()
        let upgraded = try await fixture.identities.signInWithProvider(
            .init(token: WrittenTokens.token("google", "ada")),
            fixture.relayed(fixture.devices.open(guest.accountId, amr: ["anon"])))
        #expect(upgraded.isUpgraded && upgraded.account?.accountId == guest.accountId)
        #expect(try await fixture.count("claims") == 0)
        #expect(try await refused(token, as: guest.accountId) == .invalidLink)
        #expect(try await refused(token, password: "Evil7Password") == .invalidLink)
        let code = try await fixture.refusedSignIn("mallory@example.org", password: "Evil7Password")
        #expect(code == .invalidCredential)
    }

    @Test("X-02: an address has at most 32 claims, and the oldest is dropped")
    func cap() async throws {
        for number in 0..<34 {
            _ = try await claim(password: "Correct\(number)Horse")
            fixture.time.advance(by: .milliseconds(1))
        }
        #expect(try await fixture.count("claims") == 32)
        #expect(try await fixture.count("accounts", where: "is_guest = 1") == 34)
    }

    @Test("G-25: a repeat gets the same answer before and after the proof, with the same password")
    func repeated() async throws {
        let first = try await claim(key: "k")
        #expect(try await claim(key: "k") == first)
        let other = try await refusal { try await claim(password: "Wrong7Horse", key: "k") }
        #expect(other.code == .idempotencyKeyReused)
        try await fixture.relay()
        for _ in 0..<2 {
            _ = try await confirm(try fixture.latestToken(), as: first.accountId, key: "c")
        }
        #expect(try await claim(key: "k").accountId == first.accountId)
        #expect(try await fixture.count("accounts") == 1)
    }

    @Test("I-05: of 20 claims proved in parallel exactly one gets the address")
    func race() async throws {
        var claims: [(String, String)] = []
        for number in 0..<20 {
            let account = try await claim(password: "Correct\(number)Horse")
            try await fixture.relay()
            claims.append((account.accountId, try fixture.latestToken()))
            // Three sign-ups an hour send a mail (`UnrequestedMailRule`).
            fixture.time.advance(by: .seconds(1_200))
        }
        let wins = await withTaskGroup(of: Bool.self) { group in
            for (account, token) in claims {
                group.addTask { (try? await confirm(token, as: account)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wins == 1)
        #expect(try await fixture.count("email_addresses") == 1)
        #expect(try await fixture.count("passwords") == 1)
        #expect(try await fixture.count("accounts", where: "is_guest = 1") == 19)
    }
}
