import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-02: registration", .timeLimit(.minutes(1)))
struct RegisterTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    @Test("G-02, FR-005: registration returns an active, unproved account with a proof for session")
    func answers() async throws {
        let answer = try await fixture.register("Ada@Example.org")
        let account = try #require(answer.account)
        #expect(AccountID(text: account.accountId) != nil)
        #expect(account.email == "Ada@Example.org")
        #expect(!account.emailVerified)
        #expect(account.displayName == "Ada")
        #expect(account.createdAtMs == fixture.time.now().milliseconds)
        #expect(account.lastSignIn == nil)
        #expect(account.status == .active)
        let proof = try #require(answer.proof)
        #expect(proof.accountId == account.accountId)
        #expect(proof.amr == ["pwd"])
        #expect(proof.provedAtMs == fixture.time.now().milliseconds)
        #expect(proof.nonce.count == 16)
        #expect(fixture.keys.proofs.isGenuine(proof))
    }

    @Test("G-02: the verification mail goes to the address, with a link to the configured origin")
    func mail() async throws {
        let account = try await fixture.register("Ada@Example.org").account
        try await fixture.relay()
        let mail = try #require(fixture.notifications.mails.first)
        #expect(mail.accountId == account?.accountId)
        #expect(fixture.notifications.mails.count == 1)
        #expect(mail.recipient == "Ada@example.org")
        #expect(mail.template == "verify-email")
        #expect(mail.language == "en-GB")
        #expect(mail.expiresAtMs == fixture.time.now().milliseconds + 86_400_000)
        #expect(try fixture.latestToken().utf8.count == 43)
    }

    @Test("I-04: account, profile, key, address and password are written together")
    func whole() async throws {
        _ = try await fixture.register()
        for table in ["accounts", "profiles", "account_keys", "email_addresses", "passwords"] {
            #expect(try await fixture.count(table) == 1, "\(table)")
        }
        #expect(try await fixture.count("links") == 1)
    }

    @Test("G-02: a refused registration writes nothing, not even half an account (I-04)")
    func refusedLeavesNothing() async throws {
        let weak = try await refusal { try await fixture.register(password: "short") }
        #expect(weak == .weakPassword([.length, .upperCase, .digit], field: "password"))
        let noAddress = try await refusal { try await fixture.register("ada@") }
        #expect(noAddress.code == .invalidEmail)
        #expect(noAddress.fields == ["email"])
        for table in ["accounts", "profiles", "account_keys", "outbox", "audit", "links"] {
            #expect(try await fixture.count(table) == 0, "\(table)")
        }
        #expect(fixture.hashes == 0)
    }

    @Test("G-02: a display name has at most 128 code points in one line, and is visible")
    func displayNames() async throws {
        func register(_ name: String, _ email: String) async throws {
            _ = try await fixture.accounts.register(
                .init(signUp: .init(email: email, password: "Correct7Horse", displayName: name)),
                fixture.context())
        }
        try await register(String(repeating: "é", count: 128), "a@example.org")
        try await register("", "b@example.org")
        try await register("\u{5E2}\u{5D3}\u{5D4} \u{200F}A", "d@example.org")
        for name in [
            String(repeating: "e", count: 129), "Ada\r\nBcc: eve", "A\u{2028}b", "\u{0}", "   ",
            "\u{200B}", "\u{202E}adA", "\u{202A}A", "\u{2066}A", "A\u{2069}",
        ] {
            let error = try await refusal { try await register(name, "c@example.org") }
            #expect(error == ServiceError(.invalidArgument, fields: ["display_name"]))
        }
    }

    @Test(
        "G-02: a language must be a BCP 47 tag",
        arguments: [
            ("", true), ("de", true), ("pt-BR", true), ("zh-Hant-TW", true), ("-", false),
            ("en-", false), ("e n", false), ("en\r\n", false), ("abcdefghi", false), ("dé", false),
        ])
    func languages(language: String, isTaken: Bool) async throws {
        let request = IdentityV1.RegisterRequest(
            signUp: .init(
                email: "a@example.org", password: "Correct7Horse", mailLanguage: language))
        if isTaken {
            _ = try await fixture.accounts.register(request, fixture.context())
        } else {
            let error = try await refusal {
                try await fixture.accounts.register(request, fixture.context())
            }
            #expect(error.fields == ["mail_language"])
        }
    }

    @Test("A-01: registration is audited, with hashes in place of personal data")
    func audit() async throws {
        let account = try #require(try await fixture.register().account)
        let key = try #require(AccountID(text: account.accountId)).key
        let rows = try await fixture.store.read { session in
            try session.query(
                "SELECT kind, account, subject, client_address, device, outcome FROM audit"
            ) { $0.values }
        }
        let row = try #require(rows.first)
        #expect(rows.count == 1)
        #expect(row[0] == .text("account.registered"))
        #expect(row[1] == .integer(key))
        for column in 2...4 {
            guard case .blob(let hash) = row[column] else {
                Issue.record("column \(column)")
                continue
            }
            #expect(hash.count == 16)
        }
        #expect(row[5] == .null)
    }
}
