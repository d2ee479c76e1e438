import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-11: setting a new password by an emailed link", .timeLimit(.minutes(1)))
struct ResetPasswordTests {
    private static let new = "Owners9Password"

    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    /// Registers, requests a reset link and reads it from the mail.
    private func asked(_ email: String = "ada@example.org") async throws -> String {
        _ = try await fixture.register(email)
        return try await askAgain(email)
    }

    private func askAgain(_ email: String = "ada@example.org") async throws -> String {
        _ = try await fixture.credentials.requestPasswordReset(
            .init(email: email), fixture.context())
        try await fixture.relay()
        return try fixture.latestToken("reset-password")
    }

    private func reset(
        _ token: String, _ password: String = new, key: String? = nil
    ) async throws -> IdentityV1.ResetPasswordResponse {
        let device = GatewayV1.Device(deviceId: "d", platform: "cli", name: "Ada's laptop")
        return try await fixture.credentials.resetPassword(
            .init(token: token, password: .init(text: password), device: device),
            fixture.context(key)
        )
    }

    @Test("G-11: a reset sets the password, proves the address and ends all earlier sessions")
    func resets() async throws {
        let token = try await asked()
        let old = try #require(try await fixture.signIn().proof)
        let answer = try await reset(token)
        #expect(answer.account?.emailVerified == true)
        #expect(
            answer.account?.lastSignIn == .lastSignInAtMs(fixture.time.now().milliseconds))
        try await fixture.relay()
        let ended = try #require(fixture.sessions.ended.first)
        #expect(fixture.sessions.ended.count == 1)
        #expect(ended.accountId == answer.account?.accountId && ended.reason == .security)
        #expect(ended.exceptSessionId.isEmpty)
        let proof = try #require(answer.proof)
        #expect(old.provedAtMs < ended.beforeMs, "a sign-in in the same millisecond ends")
        #expect(proof.provedAtMs == ended.beforeMs, "the reset's own sign-in stays valid")
        #expect(proof.amr == ["otp", "pwd"])
        #expect(try await refusal { try await fixture.signIn() }.code == .invalidCredential)
        _ = try await fixture.signIn(password: Self.new)
    }

    @Test("N-01, A-01: the owner is mailed the device's name; each audit event is written once")
    func told() async throws {
        let token = try await asked()
        _ = try await reset(token)
        try await fixture.relay()
        let mails = fixture.notifications.mails.filter { $0.template == "password-changed" }
        #expect(mails.count == 1 && mails.first?.recipient == "ada@example.org")
        let names = try #require(mails.first).variables.map(\.name)
        #expect(names == ["device", "place", "time"])
        #expect(mails.first?.variables.first?.value == "Ada's laptop")
        for kind in ["account.email-verified", "account.password-replaced", "sign-in.succeeded"] {
            #expect(try await fixture.count("audit", where: "kind = '\(kind)'") == 1, "\(kind)")
        }
    }

    @Test("G-11: a reset link works once, and its use deletes all links of the account")
    func once() async throws {
        let token = try await asked()
        let verification = try fixture.latestToken()
        let account = try #require(try await reset(token).account).accountId
        #expect(try await refusal { try await reset(token) }.code == .invalidLink)
        let void = try await refusal {
            try await fixture.accounts.confirmEmail(
                .init(token: verification), fixture.relayed(fixture.devices.open(account)))
        }
        #expect(void.code == .invalidLink)
        #expect(try await fixture.count("links") == 0)
    }

    @Test("I-06: a used link and its idempotency key compare 20 wrong passwords, and no more")
    func guesses() async throws {
        let token = try await asked()
        _ = try await reset(token, key: "k")
        func guess(_ count: Int) async throws {
            for number in 0..<count {
                let wrong = "Wrong\(number)Password"
                let refused = try await refusal { try await reset(token, wrong, key: "k") }
                #expect(refused.code == .idempotencyKeyReused)
            }
        }
        for _ in 0..<2 {
            try await guess(19)
            _ = try await reset(token, key: "k")
        }
        try await guess(20)
        let hashes = fixture.hashes
        let refused = try await refusal { try await reset(token, key: "k") }
        #expect(refused.code == .idempotencyKeyReused)
        #expect(fixture.hashes == hashes, "the right password is not compared any more")
    }

    @Test("X-04: after the owner has reset the password again, a repeat compares none")
    func takenBack() async throws {
        let token = try await asked()
        _ = try await reset(token, key: "k")
        _ = try await reset(try await askAgain(), "Owner9Password")
        let hashes = fixture.hashes
        for password in [Self.new, "Owner9Password"] {
            let refused = try await refusal { try await reset(token, password, key: "k") }
            #expect(refused.code == .idempotencyKeyReused)
        }
        #expect(fixture.hashes == hashes)
    }

    @Test("G-11: of 20 parallel uses of one link exactly one sets its password")
    func race() async throws {
        let token = try await asked()
        let set = await withTaskGroup(of: String?.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let password = "Owner\(number)Password"
                    do {
                        _ = try await reset(token, password)
                        return password
                    } catch { return nil }
                }
            }
            var set: [String] = []
            for await password in group { set += password.map { [$0] } ?? [] }
            return set
        }
        #expect(set.count == 1)
        _ = try await fixture.signIn(password: try #require(set.first))
    }

    @Test("I-06: a void, expired, foreign or altered link is refused")
    func void() async throws {
        let first = try await asked()
        let second = try await askAgain()
        let verification = try fixture.latestToken()
        for text in [first, verification, "", "x", second + "A", String(second.dropLast())] {
            #expect(try await refusal { try await reset(text) }.code == .invalidLink)
        }
        let hashes = fixture.hashes
        fixture.time.advance(by: .seconds(3_600))
        #expect(try await refusal { try await reset(second) }.code == .invalidLink)
        #expect(fixture.hashes == hashes, "an invalid link costs no hash")
        let last = try await askAgain()
        fixture.time.advance(by: .seconds(3_600) - .milliseconds(1))
        _ = try await reset(last)
    }

    @Test("I-06: a reset link does not confirm an address, and the failed try leaves it valid")
    func purposes() async throws {
        let token = try await asked()
        let refused = try await refusal {
            try await fixture.accounts.confirmEmail(
                .init(token: token, password: .init(text: Self.new)), fixture.context())
        }
        #expect(refused.code == .invalidLink)
        _ = try await reset(token)
    }

    @Test("I-06: a link is bound to its account and to the address that it was sent to")
    func bound() async throws {
        let token = try await asked()
        let eve = try #require(try await fixture.register("eve@example.org").account)
        try await fixture.change(
            "UPDATE email_addresses SET look_up_key = x'00' WHERE account <> ?",
            [.integer(try #require(AccountID(text: eve.accountId)).key)])
        #expect(try await refusal { try await reset(token) }.code == .invalidLink)
        let hers = try await askAgain("eve@example.org")
        #expect(try await reset(hers).account?.accountId == eve.accountId)
    }

    @Test("I-02: a weak password or a disabled account changes nothing; the link stays valid")
    func leavesGood() async throws {
        let token = try await asked()
        for weak in ["", "short", String(repeating: "Aa1", count: 400)] {
            #expect(try await refusal { try await reset(token, weak) }.code == .weakPassword)
        }
        try await fixture.change("UPDATE accounts SET status = 2")
        #expect(try await refusal { try await reset(token) }.code == .accountDisabled)
        try await fixture.change("UPDATE accounts SET status = 1")
        _ = try await fixture.signIn()
        _ = try await reset(token)
    }

    @Test("G-11: a reset whose transaction fails changes nothing and leaves the link valid")
    func whole() async throws {
        let token = try await asked()
        try await fixture.store.refuse(
            "BEFORE INSERT ON audit", when: "NEW.kind = 'sign-in.succeeded'")
        await #expect(throws: (any Error).self) { try await reset(token) }
        #expect(try await fixture.waiting() == 0)
        try await fixture.store.unplant()
        _ = try await fixture.signIn()
        #expect(try await reset(token).account?.emailVerified == true)
    }

    @Test("G-11: a parallel sign-in with the old password does not outlive the reset")
    func raceWithSignIn() async throws {
        let token = try await asked()
        // Both run at once. Whichever commits first, the old password's proof ends with the
        // sessions.
        async let signIn: IdentityV1.VerifyPasswordResponse? = {
            do { return try await fixture.signIn() } catch { return nil }
        }()
        let answer = try await reset(token)
        let old = await signIn
        try await fixture.relay()
        let before = try #require(fixture.sessions.ended.first).beforeMs
        #expect((old?.proof?.provedAtMs ?? 0) < before)
        #expect(try #require(answer.proof).provedAtMs >= before)
    }

    @Test("G-25: a repeat gets the first answer, but only with the same password")
    func repeated() async throws {
        let token = try await asked()
        fixture.time.advance(by: .seconds(5))
        let first = try await reset(token, key: "k")
        for delay in [Duration.zero, .seconds(40)] {
            fixture.time.advance(by: delay)
            let again = try await reset(token, key: "k")
            #expect(again.account == first.account && again.history == first.history)
            #expect(first.forgetDevices && again.forgetDevices)
            let proof = try #require(again.proof)
            #expect(proof.provedAtMs >= (try #require(first.proof)).provedAtMs)
            #expect(proof.provedAtMs <= fixture.time.now().milliseconds + 1)
        }
        let wrong = try await refusal { try await reset(token, "Guessed7Horse", key: "k") }
        #expect(wrong.code == .idempotencyKeyReused)
        #expect(try await refusal { try await reset(token, key: "l") }.code == .invalidLink)
        try await fixture.change("UPDATE accounts SET status = 2")
        #expect(try await refusal { try await reset(token, key: "k") }.code == .accountDisabled)
        try await fixture.relay()
        #expect(fixture.sessions.ended.count == 1)
    }

    @Test("G-25: a repeat answers the same as the first call on whether devices are forgotten")
    func repeatedTakeover() async throws {
        let first = try await reset(try await asked(), key: "k")
        #expect(first.forgetDevices)
        let token = try await askAgain()
        let second = try await reset(token, "Third9Password", key: "l")
        #expect(!second.forgetDevices)
        fixture.time.advance(by: .seconds(60))
        let again = try await reset(token, "Third9Password", key: "l")
        #expect(!again.forgetDevices && again.history == second.history)
    }

    @Test("the first password of an account forgets the devices that are known under its email")
    func firstPassword() async throws {
        let account = try await fixture.account(by: .token("g7", email: "ada@example.org"))
        let first = try await reset(try await askAgain())
        #expect(first.account?.accountId == account.accountId && first.forgetDevices)
        #expect(try await !reset(try await askAgain(), "Third9Password").forgetDevices)
    }

    @Test("G-25: a key used with another link is refused, and the new link stays valid")
    func reusedKey() async throws {
        _ = try await reset(try await asked(), key: "k")
        let next = try await askAgain()
        let reused = try await refusal { try await reset(next, "Third9Password", key: "k") }
        #expect(reused.code == .idempotencyKeyReused)
        _ = try await fixture.signIn(password: Self.new)
        _ = try await reset(next, "Third9Password", key: "l")
    }

    @Test("X-04: by a reset an owner takes the account a stranger made with the address")
    func strangers() async throws {
        let token = try await asked()
        let strangers = try await fixture.signIn()
        let answer = try await reset(token)
        try await fixture.relay()
        #expect(answer.account?.accountId == strangers.account?.accountId)
        let before = try #require(fixture.sessions.ended.first).beforeMs
        #expect(try #require(strangers.proof).provedAtMs < before)
        #expect(try await refusal { try await fixture.signIn() }.code == .invalidCredential)
    }
}
