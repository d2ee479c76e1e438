import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService

@Suite("I-04: the check for orphaned rows", .timeLimit(.minutes(1)))
struct OrphanCheckTests {
    /// An account that does not exist.
    static let nobody = "acc_0000000000009"

    let fixture: IdentityFixture
    let findings: OrphanFindings
    let check: OrphanCheck

    init() throws {
        fixture = try IdentityFixture()
        findings = fixture.orphans.findings
        check = fixture.orphanCheck()
    }

    private func run() async throws -> [Orphan] { try await fixture.run(check) }

    private func metric(_ name: String, _ kind: OrphanKind) -> Double? {
        fixture.metric(name, kind)
    }

    @Test("I-04: accounts of all sorts leave no orphans")
    func none() async throws {
        let ada = try #require(try await fixture.register().account).accountId
        let eve = try #require(try await fixture.signIn(by: .token("g1")).account).accountId
        let guest = try await fixture.signInAsGuest().accountId
        _ = try await fixture.registerProved("bob@example.org")
        _ = try await fixture.admin(NoActivity()).suspendAccount(
            .init(accountId: ada, reason: "spam"), fixture.context(application: "tool"))
        for (account, due) in [(eve, Int64(0)), (guest, Int64.max / 2)] {
            let account = try #require(AccountID(text: account))
            _ = try await fixture.store.writeUnchecked { [fixture] transaction in
                try transaction.beginDeletion(
                    of: account, source: .owner, due: Timestamp(milliseconds: due),
                    fixture.deletions.deletions)
            }
        }
        #expect(try await run().isEmpty)
        try await fixture.sweep()
        for kind in OrphanService.identity.kinds {
            #expect(metric("identity_orphans", kind) == 0, "\(kind)")
        }
        #expect(fixture.log.lines.allSatisfy { !$0.contains("orphan") })
    }

    @Test("G-02: a pending claim of a strict sign-up is no orphan")
    func strict() async throws {
        let strict = try IdentityFixture(enumeration: .strict)
        _ = try await strict.register()
        #expect(try await strict.run(strict.orphanCheck()).isEmpty)
    }

    @Test("I-04: an account without a profile gets an empty one, on record, and is counted")
    func repaired() async throws {
        let account = try #require(try await fixture.register().account).accountId
        try await fixture.change("DELETE FROM profiles")
        #expect(try await run().isEmpty)
        #expect(try await fixture.signIn().account?.accountId == account)
        #expect(try await fixture.signIn().account?.displayName == "")
        #expect(try await fixture.audited("orphan.repaired") == 1)
        #expect(metric("identity_orphans", .accountWithoutProfile) == 0)
        #expect(metric("identity_orphan_repairs_total", .accountWithoutProfile) == 1)
        #expect(fixture.log.lines.contains { $0.contains("identity.orphans.repaired") })
        #expect(try await run().isEmpty)
        #expect(try await fixture.audited("orphan.repaired") == 1)
    }

    @Test("an account without a key gets no profile, since that would be sealed under the key")
    func keyless() async throws {
        let text = try #require(try await fixture.register().account).accountId
        let account = try #require(AccountID(text: text))
        try await fixture.change("DELETE FROM profiles")
        try await fixture.change("DELETE FROM account_keys")
        #expect(
            try await run() == [
                Orphan(kind: .accountWithoutProfile, account: account, isRepairable: false),
                Orphan(kind: .accountWithoutKey, account: account, isRepairable: false),
            ])
    }

    @Test("I-04: an account without any sign-in method is found, except a guest")
    func withoutWayIn() async throws {
        let eve = try await fixture.account(by: .token("g1")).accountId
        _ = try await fixture.signInAsGuest()
        try await fixture.change("DELETE FROM identities")
        let found = try await run()
        #expect(found.map(\.kind) == [.accountWithoutWayIn])
        #expect(found.first?.account.text == eve && found.first?.isRepairable == false)
        #expect(metric("identity_orphans", .accountWithoutWayIn) == 1)
        #expect(fixture.log.lines.contains { $0.contains("identity.orphans.found") })
    }

    @Test("a row of any table without an account is found, and is deleted by its repair only")
    func planted() async throws {
        _ = try await fixture.register()
        let admin = fixture.admin(NoActivity())
        let tool = fixture.context(application: "tool")
        for row in PlantedRow.all {
            try fixture.damage(row.insert(from: "(SELECT 9 AS account) AS one"))
            let found = try await run()
            #expect(found.map(\.kind) == [row.kind], "\(row)")
            #expect(found.first?.account.key == 9 && found.first?.isRepairable == true)
            #expect(metric("identity_orphans", row.kind) == 1)
            let request = GatewayV1.RepairOrphanRequest(
                kind: row.kind.rawValue, accountId: Self.nobody, actor: "ann")
            #expect(try await admin.repairOrphan(request, tool).repaired, "\(row)")
            #expect(metric("identity_orphans", row.kind) == 0)
            #expect(try await !admin.repairOrphan(request, tool).repaired)
            #expect(try await run().isEmpty, "\(row)")
        }
        let condition = "kind = 'orphan.repaired' AND actor = 'tool/ann'"
        let recorded = try await fixture.count("audit", where: condition)
        #expect(recorded == Int64(PlantedRow.all.count))
        #expect(try await fixture.signIn().account != nil)
    }

    @Test("all tables with accounts are checked, and each has a `PlantedRow`")
    func tables() async throws {
        let schema = try SchemaFile(of: "IdentityService").text()
        let tables = schema.split(separator: "CREATE TABLE ").dropFirst().filter {
            $0.prefix(while: { $0 != ";" }).contains("\n    account INTEGER")
        }.map { String($0.prefix { $0 != " " }) }
        // `audit` outlives accounts. What is counted for it is purged within an hour.
        let others: Set = ["accounts", "audit", "document_changes"]
        let checked = Set(PlantedRow.all.map(\.table))
        #expect(Set(tables).subtracting(others) == checked)
        // Migrations are looked at in two ways.
        #expect(OrphanTable.all.count == checked.count + 1)
    }

    @Test("G-20: a deletion that goes on after its account's rows are gone is no orphan")
    func ending() async throws {
        try fixture.damage(
            """
            INSERT INTO deletions (account, step, source, requested_at_ms, due_at_ms,
                next_attempt_at_ms, attempts, sealed_key, payload, is_backend_done)
            VALUES (9, 9, 'owner', 1, 1, 1, 0, x'00', x'00', 0);
            """)
        #expect(try await run().isEmpty)
        let request = GatewayV1.RepairOrphanRequest(
            kind: "job-without-account", accountId: Self.nobody)
        let repaired = try await fixture.admin(NoActivity()).repairOrphan(
            request, fixture.context(application: "tool"))
        #expect(!repaired.repaired)
    }

    @Test("1,000 of a kind are kept for the list; all are counted")
    func bounded() async throws {
        try fixture.damage(
            """
            WITH RECURSIVE number (n) AS (
                SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1500)
            INSERT INTO suspensions (account, reason, since_ms) SELECT n, x'00', 1 FROM number;
            """)
        #expect(try await run().count == OrphanFindings.listedMax)
        #expect(metric("identity_orphans", .row) == 1_500)
    }

    @Test("I-04: an identity without an account cannot be inserted")
    func identityWithoutAccount() async throws {
        let insert = """
            INSERT INTO identities (account, look_up_key, method, details, linked_at_ms)
            VALUES (9, x'00', 'google', x'', 1)
            """
        await #expect(throws: SQLError.self) {
            try await fixture.store.writeUnchecked { try $0.execute(insert) }
        }
        #expect(try await fixture.count("identities") == 0)
    }

    @Test("I-04: a profile without an account cannot be inserted")
    func forbidden() async throws {
        await #expect(throws: SQLError.self) {
            try await fixture.store.writeUnchecked {
                try $0.execute(
                    "INSERT INTO profiles (account, display_name, language) VALUES (9, x'', '')")
            }
        }
    }

    @Test("G-01: an account without a profile cannot sign in")
    func neverAnswered() async throws {
        let account = try #require(try await fixture.register().account)
        try await fixture.change("DELETE FROM profiles")
        let signIn = try await refusal { try await fixture.signIn() }
        #expect(signIn.code == .invalidCredential)
        let lookUp = try await refusal {
            try await fixture.accounts.getAccount(
                .init(accountId: account.accountId), fixture.context())
        }
        #expect(lookUp.code == .notFound)
    }

    @Test("I-04: the check runs at start and every hour")
    func hourly() async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { try await fixture.tasks.run() }
            // Also of the other services.
            while findings.endedAt == nil { await Task.yield() }
            _ = try await fixture.register()
            try await fixture.change("DELETE FROM profiles")
            #expect(fixture.log.lines.allSatisfy { !$0.contains("orphan") })
            while !fixture.log.lines.contains(where: { $0.contains("orphans.repaired") }) {
                // The duty may not be asleep yet.
                fixture.time.advance(by: OrphanCheck.interval)
                await Task.yield()
            }
            group.cancelAll()
        }
    }
}
