import Cryptography
import FoundationEssentials
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("I-01: accounts", .timeLimit(.minutes(1)))
struct AccountTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    @Test("G-01: an account is found by its id, also after a restart")
    func lookUp() async throws {
        let account = try #require(try await fixture.register().account)
        fixture.store.close()
        let next = try IdentityFixture(folder: fixture.folder, time: fixture.time, seed: 2)
        let answer = try await next.accounts.getAccount(
            .init(accountId: account.accountId), next.context())
        #expect(answer.account?.email == "ada@example.org")
        #expect(answer.account?.displayName == "Ada")
        #expect(answer.account?.lastSignIn == .lastSignInAtMs(account.createdAtMs))
        #expect(try await next.signIn().account?.accountId == account.accountId)
    }

    @Test("G-01: an unknown id is not found, and a malformed id is refused")
    func notFound() async throws {
        let unknown = try await refusal {
            try await fixture.accounts.getAccount(
                .init(accountId: "acc_0000000000001"), fixture.context())
        }
        #expect(unknown.code == .notFound)
        for text in ["", "acc_", "ses_0000000000001", "acc_000000000000O", "1"] {
            let error = try await refusal {
                try await fixture.accounts.getAccount(.init(accountId: text), fixture.context())
            }
            #expect(error == ServiceError(.invalidArgument, fields: ["account_id"]))
        }
    }

    @Test("A-02: no personal data is readable in the store or the log")
    func sealed() async throws {
        _ = try await fixture.accounts.register(
            .init(
                signUp: .init(
                    email: "Canary.Address@example.org", password: "CanaryOwl7Lantern",
                    device: IdentityFixture.device, displayName: "Canary Name")),
            fixture.context("canary-key"))
        _ = try await refusal { try await fixture.signIn("canary.address@example.org") }
        fixture.store.close()
        let stored = try fixture.store.storedBytes()
        #expect(stored.count > 256)
        let bytes = fixture.log.bytes + stored
        let text = String(decoding: bytes, as: UTF8.self).lowercased()
        // "p=1$" is between a hash's parameters and its salt.
        for canary in ["canary", "p=1$", IdentityFixture.clientAddress] {
            #expect(!text.contains(canary), "\(canary)")
        }
    }

    @Test("A-02: a sealed field that was copied to another account's row cannot be opened")
    func moved() async throws {
        _ = try await fixture.register("ada@example.org")
        let eve = try #require(try await fixture.register("eve@example.org").account)
        for (table, column) in [("profiles", "display_name"), ("account_keys", "sealed_key")] {
            try await fixture.change(
                """
                UPDATE \(table) SET \(column) =
                    (SELECT \(column) FROM \(table) ORDER BY \(column) LIMIT 1)
                """)
        }
        var refused = 0
        for account in try await fixture.store.read({ session in
            try session.query("SELECT account FROM accounts") { try $0.integer(0) }
        }) {
            let id = try #require(AccountID(key: account))
            do {
                _ = try await fixture.accounts.getAccount(
                    .init(accountId: id.text), fixture.context())
            } catch is SealedBoxError {
                refused += 1
            }
        }
        #expect(refused >= 1)
        #expect(!eve.accountId.isEmpty)
    }
}
