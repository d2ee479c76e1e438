import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-12: confirming an address", .timeLimit(.minutes(1)))
struct ConfirmEmailTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    /// Registers and reads the link from the mail.
    private func registered() async throws -> (account: String, token: String) {
        let account = try #require(try await fixture.register().account)
        try await fixture.relay()
        return (account.accountId, try fixture.latestToken())
    }

    /// Confirms in a session of an account; outside a session for nil.
    private func confirm(
        _ token: String, account: String? = nil, password: String = "", key: String? = nil
    ) async throws -> IdentityV1.ConfirmEmailResponse {
        try await fixture.accounts.confirmEmail(
            .init(token: token, password: .init(text: password)),
            fixture.relayed(account.map { fixture.devices.open($0) }, key))
    }

    @Test("G-12: in the account's own session the link alone confirms")
    func ownSession() async throws {
        let (account, token) = try await registered()
        let answer = try await confirm(token, account: account)
        #expect(answer.account?.emailVerified == true)
        #expect(answer.account?.accountId == account)
        #expect(!answer.forgetDevices)
        #expect(try await fixture.signIn().account?.emailVerified == true)
        #expect(try await fixture.waiting() == 1)
    }

    @Test("N-01: the first link welcomes the person who signed up, once, by the name")
    func welcome() async throws {
        let (account, token) = try await registered()
        for _ in 0..<2 { _ = try await confirm(token, account: account, key: "k") }
        try await fixture.relay()
        #expect(fixture.templates == ["verify-email", "welcome"])
        let mail = try #require(fixture.notifications.mails.last)
        #expect(mail.recipient == "ada@example.org")
        #expect(mail.variables.first { $0.name == "name" }?.value == "Ada")
    }

    @Test(
        "N-01: neither an imported account nor an address that was verified before is welcomed",
        arguments: [
            "UPDATE email_addresses SET proved_at_ms = 1",
            """
            INSERT INTO imported_accounts (account, look_up_key, external_id, imported_at_ms)
            SELECT account, x'00', x'00', 1 FROM accounts
            """,
        ])
    func unwelcomed(change: String) async throws {
        let (account, token) = try await registered()
        try await fixture.change(change)
        _ = try await confirm(token, account: account)
        try await fixture.relay()
        #expect(fixture.templates == ["verify-email"])
    }

    @Test("N-01: a link that replaces a stranger's password welcomes nobody by that name")
    func unwelcomedOwner() async throws {
        let (_, token) = try await registered()
        _ = try await confirm(token, password: "Owners9Password")
        try await fixture.relay()
        #expect(!fixture.templates.contains("welcome"))
    }

    @Test("G-12: elsewhere a password is required, and its absence leaves the link valid")
    func passwordNeeded() async throws {
        let (account, token) = try await registered()
        for asking in [nil, "acc_0000000000001"] {
            let error = try await refusal { try await confirm(token, account: asking) }
            #expect(error == ServiceError(.passwordNeeded, fields: ["password"]))
        }
        let session = fixture.devices.open(account)
        fixture.devices.end(session)
        let ended = try await refusal {
            try await fixture.accounts.confirmEmail(.init(token: token), fixture.relayed(session))
        }
        #expect(ended.code == .sessionEnded)
        #expect(try await confirm(token, account: account).account?.emailVerified == true)
    }

    @Test("G-12: elsewhere the account's password confirms and ends no session")
    func samePassword() async throws {
        let (_, token) = try await registered()
        let answer = try await confirm(token, password: "Correct7Horse")
        #expect(answer.account?.emailVerified == true)
        #expect(!answer.forgetDevices)
        try await fixture.relay()
        #expect(fixture.sessions.ended.isEmpty)
    }

    @Test("X-04: elsewhere another password replaces a stranger's and ends the sessions")
    func replaces() async throws {
        let (account, token) = try await registered()
        let strangersProof = try #require(try await fixture.signIn().proof)
        let answer = try await confirm(token, password: "Owners9Password")
        #expect(answer.forgetDevices)
        #expect(answer.account?.emailVerified == true)
        try await fixture.relay()
        let ended = try #require(fixture.sessions.ended.first)
        #expect(ended.accountId == account)
        #expect(ended.reason == .security)
        // This includes proofs of the same millisecond.
        #expect(ended.beforeMs > strangersProof.provedAtMs)
        let old = try await refusal { try await fixture.signIn(password: "Correct7Horse") }
        #expect(old.code == .invalidCredential)
        _ = try await fixture.signIn(password: "Owners9Password")
    }

    @Test("I-02: a new password must meet the policy, and a weak one leaves the link valid")
    func weakReplacement() async throws {
        let (_, token) = try await registered()
        for weak in ["short", String(repeating: "Aa1", count: 400)] {
            let error = try await refusal { try await confirm(token, password: weak) }
            #expect(error.code == .weakPassword)
        }
        _ = try await fixture.signIn()
        #expect(try await confirm(token, password: "Owners9Password").forgetDevices)
    }

    @Test("I-06: a link works once")
    func once() async throws {
        let (account, token) = try await registered()
        _ = try await confirm(token, account: account)
        let error = try await refusal { try await confirm(token, account: account) }
        #expect(error == ServiceError(.invalidLink))
    }

    @Test("I-06: a used link and its idempotency key compare 20 wrong passwords, and no more")
    func guesses() async throws {
        let (_, token) = try await registered()
        _ = try await confirm(token, password: "Correct7Horse", key: "k")
        for number in 0..<20 {
            let refused = try await refusal {
                try await confirm(token, password: "Wrong\(number)Password", key: "k")
            }
            #expect(refused.code == .idempotencyKeyReused)
        }
        let refused = try await refusal {
            try await confirm(token, password: "Correct7Horse", key: "k")
        }
        #expect(refused.code == .idempotencyKeyReused)
    }

    @Test("I-06: of 20 parallel uses of one link exactly one replaces the password")
    func race() async throws {
        let (_, token) = try await registered()
        let replaced = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask {
                    do {
                        return try await confirm(token, password: "Owner\(number)Password")
                            .forgetDevices
                    } catch {
                        return false
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(replaced == 1)
        #expect(try await fixture.count("audit", where: "kind = 'account.email-verified'") == 1)
    }

    @Test("I-06: a link is valid until the end of its life, and expires then")
    func expires() async throws {
        let (account, token) = try await registered()
        fixture.time.advance(by: .seconds(24 * 3_600))
        let error = try await refusal { try await confirm(token, account: account) }
        #expect(error == ServiceError(.invalidLink))

        let other = try #require(try await fixture.register("eve@example.org").account)
        try await fixture.relay()
        let fresh = try fixture.latestToken()
        fixture.time.advance(by: .seconds(24 * 3_600) - .milliseconds(1))
        _ = try await confirm(fresh, account: other.accountId)
    }

    @Test(
        "I-06: a malformed token is refused as an invalid link",
        arguments: [
            "", "x", String(repeating: "A", count: 43), String(repeating: "A", count: 42) + "B",
            String(repeating: "A", count: 44), String(repeating: "é", count: 43), "../../etc",
        ])
    func nonsense(token: String) async throws {
        _ = try await registered()
        let error = try await refusal { try await confirm(token) }
        #expect(error == ServiceError(.invalidLink))
    }

    @Test("I-06: a token with any one character changed is refused")
    func changed() async throws {
        let (account, token) = try await registered()
        for index in token.indices {
            var other = token
            other.replaceSubrange(index...index, with: token[index] == "A" ? "Q" : "A")
            let error = try await refusal { try await confirm(other, account: account) }
            #expect(error == ServiceError(.invalidLink))
        }
    }

    @Test("I-06: a link is bound to its account and to its address")
    func bound() async throws {
        let (account, token) = try await registered()
        let other = try #require(try await fixture.register("eve@example.org").account)
        let elsewhere = try await refusal { try await confirm(token, account: other.accountId) }
        #expect(elsewhere.code == .passwordNeeded)
        // The account has another address now.
        let key = try #require(AccountID(text: account)).key
        try await fixture.change(
            "UPDATE email_addresses SET look_up_key = x'00' WHERE account = ?", [.integer(key)])
        let stale = try await refusal { try await confirm(token, account: account) }
        #expect(stale == ServiceError(.invalidLink))
    }

    @Test("I-06: only the keyed hash of a token is stored")
    func hashed() async throws {
        let (_, token) = try await registered()
        let kept = try await fixture.store.read { session in
            try session.queryOne("SELECT token_hash FROM links") { try $0.blob(0) }
        }
        let secret = try #require(LinkToken(text: token))
        #expect(kept == secret.hash(.verifyEmail, fixture.keys.links))
        #expect(kept?.count == 32)
    }

    @Test("G-12: the address of a disabled account cannot be confirmed")
    func suspended() async throws {
        let (account, token) = try await registered()
        try await fixture.change("UPDATE accounts SET status = 2")
        let error = try await refusal { try await confirm(token, account: account) }
        #expect(error.code == .accountDisabled)
    }

    @Test("G-25: a repeat gets the first answer, if its password or session is the same")
    func repeated() async throws {
        let (account, token) = try await registered()
        let first = try await confirm(token, password: "Owners9Password", key: "k")
        let second = try await confirm(token, password: "Owners9Password", key: "k")
        #expect(first == second)
        #expect(second.forgetDevices)
        let wrong = try await refusal {
            try await confirm(token, password: "Guessed7Horse", key: "k")
        }
        #expect(wrong.code == .idempotencyKeyReused)
        let other = try await refusal { try await confirm(token, account: account, key: "k") }
        #expect(other.code == .idempotencyKeyReused)
        try await fixture.relay()
        #expect(fixture.sessions.ended.count == 1)
    }

    @Test("A-01: confirmation and password replacement are audited")
    func audit() async throws {
        let (_, token) = try await registered()
        _ = try await confirm(token, password: "Owners9Password")
        #expect(try await fixture.count("audit", where: "kind = 'account.email-verified'") == 1)
        #expect(try await fixture.count("audit", where: "kind = 'account.password-replaced'") == 1)
    }
}
