import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite(
    "I-10: claims that were imported earlier, or restored, reach session", .timeLimit(.minutes(1)))
struct UnsentClaimsTests {
    private func duty(of fixture: IdentityFixture) -> UnsentClaims {
        UnsentClaims(
            store: fixture.store, writer: fixture.writer, time: fixture.time,
            logger: fixture.log.logger(time: fixture.time))
    }

    /// Inserts the claims of an account as the release before did.
    private func plant(
        _ json: String, of account: String, in fixture: IdentityFixture
    ) async throws {
        let account = try #require(AccountID(text: account))
        let reader = fixture.writer.reader
        let sealed = try await fixture.store.read { session in
            try session.account(account).map { try reader.vault($0).seal(json, .customClaims) }
        }
        try await fixture.change(
            "INSERT INTO custom_claims (account, document) VALUES (?, ?)",
            [.integer(account.key), .blob(try #require(sealed))])
    }

    @Test("I-10: a step sends them without the names that tokens have, which the log counts")
    func imported() async throws {
        let fixture = try IdentityFixture()
        let ada = try #require(try await fixture.register().account).accountId
        let bob = try #require(try await fixture.register("bob@example.org").account).accountId
        try await plant(#"{"team":"blue","sub":"acc_1","roles":["admin"]}"#, of: ada, in: fixture)
        try await plant(#"{"team":"red"}"#, of: bob, in: fixture)
        let before = try #require(try await fixture.signIn().proof)
        #expect(before.claimsVersion == 0 && before.claimsJson == "", "not known to session yet")

        let duty = duty(of: fixture)
        #expect(try await duty.step() == false)
        let after = try #require(try await fixture.signIn().proof)
        #expect(after.claimsVersion > 0 && after.claimsJson == #"{"team":"blue"}"#)
        #expect(after.roles == [])
        let lines = fixture.log.lines.filter { $0.contains("identity.claims.left_out") }
        #expect(lines.count == 1 && lines[0].contains(#""count":2"#))
        #expect(try await duty.step() == false)
        #expect(try await fixture.count("outbox", where: "topic = 'account-claims'") == 2)
        try await fixture.relay()
        let sent = fixture.sessions.claims.sorted { $0.claimsJson < $1.claimsJson }
        #expect(sent.map(\.claimsJson) == [#"{"team":"blue"}"#, #"{"team":"red"}"#])
        #expect(Set(sent.map(\.accountId)) == [ada, bob])
    }

    @Test("claims that are set while they wait are replaced by no step")
    func setMeanwhile() async throws {
        let fixture = try IdentityFixture()
        let ada = try #require(try await fixture.register().account).accountId
        try await plant(#"{"team":"blue"}"#, of: ada, in: fixture)
        let account = try #require(AccountID(text: ada))
        let version = try await fixture.setClaims(
            AccountClaims(roles: ["admin"]), of: account, base: 0)
        #expect(try await duty(of: fixture).step() == false)
        let proof = try #require(try await fixture.signIn().proof)
        #expect(proof.claimsVersion == version && proof.roles == ["admin"])
    }

    @Test("a new import needs no step: its first sign-in has them")
    func newImport() async throws {
        let fixture = ImportFixture(try IdentityFixture())
        var record = ImportFixture.record()
        (record.customClaims, record.roles) = (#"{"team":"blue"}"#, ["staff"])
        _ = try await fixture.take([record])
        #expect(try await duty(of: fixture.identity).step() == false)
        #expect(try await fixture.identity.waiting() == 0)
        let proof = try #require(try await fixture.identity.signIn().proof)
        #expect(proof.claimsVersion == 1 && proof.roles == ["staff"])
        #expect(proof.claimsJson == #"{"team":"blue"}"#)
    }

    @Test("a page that is full is followed by another one")
    func pages() async throws {
        let fixture = ImportFixture(try IdentityFixture())
        for page in 0..<2 {
            let records = (0..<150).map { number in
                var record = ImportFixture.record(
                    "u\(page)-\(number)", email: "u\(page).\(number)@example.org")
                record.customClaims = #"{"n":\#(number)}"#
                return record
            }
            _ = try await fixture.take(records)
        }
        try await fixture.identity.change("UPDATE custom_claims SET version = 0, is_sent = 0")
        let duty = duty(of: fixture.identity)
        #expect(try await duty.step())
        #expect(try await fixture.identity.count("custom_claims", where: "is_sent = 0") == 100)
        #expect(try await duty.step() == false)
        #expect(try await fixture.identity.count("custom_claims", where: "version > 0") == 300)
    }

    @Test("O-01: after a restore they are sent again, above every version that session may know")
    func restored() async throws {
        let original = try IdentityFixture()
        let account = try #require(try await original.register().account)
        let ada = try #require(AccountID(text: account.accountId))
        try await original.setClaims(AccountClaims(roles: ["staff"]), of: ada)
        try await original.relay()
        let folder = try TemporaryFolder()
        try await original.store.backup(to: folder.file("identity.sqlite"))
        original.time.advance(by: .seconds(60))
        let lost = try await original.setClaims(AccountClaims(roles: ["admin"]), of: ada)
        original.time.advance(by: .seconds(60))

        let restored = try IdentityFixture(folder: folder, time: original.time, seed: 2)
        try await IdentityRestore.settle(restored.store)
        let proof = try #require(try await restored.signIn().proof)
        #expect(proof.roles == ["staff"] && proof.claimsVersion > lost)
        #expect(try await duty(of: restored).step() == false)
        try await restored.relay()
        #expect(restored.sessions.claims.map(\.roles) == [["staff"]])
        #expect(restored.sessions.claims.allSatisfy { $0.version >= proof.claimsVersion })
        let next = try await restored.setClaims(AccountClaims(roles: ["new"]), of: ada)
        #expect(next > lost)
    }
}
