import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife

@Suite("I-03: exporting accounts", .timeLimit(.minutes(1)))
struct ExportAccountsTests {
    @Test("another Postern imports an export, and its users can sign in there")
    func roundTrip() async throws {
        let here = ImportFixture(try IdentityFixture())
        let project = try await here.keepFirebaseProject()
        var full = ImportFixture.record("u1")
        full.photoUrl = "https://example.org/ada.png"
        full.phoneNumber = "+4915112345678"
        full.identities = [
            .init(
                method: "google", issuer: "https://accounts.google.com", subject: "1234",
                email: "ada@gmail.example", displayName: "Ada L.")
        ]
        full.createdAtMs = 1_500_000_000_000
        full.lastSignInAtMs = 1_600_000_000_000
        full.customClaims = #"{"admin":true}"#
        full.roles = ["staff", "a:b"]
        full.onboardingComplete = true
        full.termsVersion = "2026-01"
        full.privacyVersion = "2"
        full.marketing = true
        var bob = ImportFixture.record("u2", email: "bob@example.org")
        bob.passwordHash = ImportFixture.firebaseHash(project)
        bob.disabled = true
        bob.emailVerified = false
        _ = try await here.take([full, bob], source: "firebase")
        _ = try await here.identity.register("own@example.org")
        let exported = try await here.export()
        #expect(exported.first?.hashParameters.map(\.parametersId) == [project])
        let records = exported.flatMap(\.accounts)
        #expect(records.count == 3)

        let there = ImportFixture(try IdentityFixture(seed: 2))
        let parameters = try #require(exported.first?.hashParameters.first)
        let id = try await there.imports.keepHashParameters(
            .init(signerKey: parameters.signerKey, saltSeparator: parameters.saltSeparator),
            there.tool
        ).parametersId
        #expect(id == project, "each is the first id of its store")
        let answers = try await there.take(records, source: "elsewhere")
        #expect(answers.map(\.outcome) == [.created, .created, .created])
        func known(_ records: [IdentityV1.AccountRecord]) -> Set<IdentityV1.AccountRecord> {
            Set(
                records.map { record in
                    var record = record
                    record.accountId = ""
                    return record
                })
        }
        #expect(known(try await there.export().flatMap(\.accounts)) == known(records))
        for (email, password) in [
            ("ada@example.org", "Correct7Horse"), ("own@example.org", "Correct7Horse"),
        ] {
            _ = try await there.identity.signIn(email, password: password)
        }
        let suspended = try await refusal {
            try await there.identity.signIn("bob@example.org", password: "user1password")
        }
        #expect(suspended == ServiceError(.accountDisabled))
    }

    @Test("B17: an account that cannot be decrypted is logged and left out of the export")
    func unreadable() async throws {
        let fixture = ImportFixture(try IdentityFixture())
        let ada = try #require(try await fixture.identity.register("ada@example.org").account)
        let bob = try #require(try await fixture.identity.register("bob@example.org").account)
        try await fixture.identity.change(
            "UPDATE account_keys SET sealed_key = zeroblob(64) WHERE account = ?",
            [.integer(try #require(AccountID(text: ada.accountId)).key)])
        let records = try await fixture.export().flatMap(\.accounts)
        #expect(records.map(\.accountId) == [bob.accountId])
        #expect(fixture.identity.log.lines.contains { $0.contains(ada.accountId) })
    }

    @Test("hashes are exported only on request, and that is audited separately")
    func withoutHashes() async throws {
        let fixture = ImportFixture(try IdentityFixture())
        _ = try await fixture.keepFirebaseProject()
        _ = try await fixture.take([ImportFixture.record()])
        let items = try await fixture.export(withHashes: false)
        #expect(items.flatMap(\.hashParameters).isEmpty)
        #expect(items.flatMap(\.accounts).map(\.passwordHash) == [""])
        #expect(try await fixture.identity.count("audit", where: "kind = 'account.exported'") == 1)
        _ = try await fixture.export()
        let kind = "kind = 'account.exported-with-hashes'"
        #expect(try await fixture.identity.count("audit", where: kind) == 1)
    }

    @Test("an export resumes after a position, in order, without accounts being deleted")
    func pages() async throws {
        let fixture = ImportFixture(try IdentityFixture())
        _ = try await fixture.take(
            (0..<120).map { ImportFixture.record("u\($0)", email: "u\($0)@example.org") })
        try await fixture.identity.change(
            "UPDATE accounts SET status = 4 WHERE account = (SELECT min(account) FROM accounts)")
        let items = try await fixture.export()
        #expect(items.flatMap(\.accounts).count == 119)
        let ids = items.flatMap(\.accounts).map(\.accountId)
        #expect(ids == ids.sorted())
        let position = try #require(items.dropLast().last?.position)
        var rest: [String] = []
        for try await item in fixture.imports.exportAccounts(.init(after: position), fixture.tool) {
            rest += item.accounts.map(\.accountId)
        }
        // The position is that of the last item but one, so the last item's accounts follow.
        #expect(rest == Array(ids.suffix(items.last?.accounts.count ?? 0)) && !rest.isEmpty)
    }
}
