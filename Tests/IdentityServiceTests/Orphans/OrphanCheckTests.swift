import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

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
        let repair = fixture.service.accountAdmin.orphans
        findings = repair.findings
        check = OrphanCheck(
            store: fixture.store, time: fixture.time,
            logger: fixture.log.logger(time: fixture.time), findings: findings, repair: repair)
    }

    private func run() async throws -> [Orphan] {
        while try await check.step() {}
        return findings.orphans(of: nil, after: nil, limit: 10_000)
    }

    /// A line of the metrics' page.
    private func metric(_ name: String, _ kind: OrphanKind) -> Double? {
        let line = fixture.metrics.prometheusText().split(separator: "\n").first {
            $0.contains("\(name){") && $0.contains("\"\(kind.rawValue)\"")
        }
        return line?.split(separator: " ").last.flatMap { Double($0) }
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
                    DeletionWriting(keys: fixture.keys, randomness: fixture.randomness))
            }
        }
        #expect(try await run().isEmpty)
        for kind in OrphanService.identity.kinds {
            #expect(metric("identity_orphans", kind) == 0, "\(kind)")
        }
        #expect(fixture.log.lines.allSatisfy { !$0.contains("orphan") })
    }

    @Test("G-02: a pending claim of a strict sign-up is no orphan")
    func strict() async throws {
        let strict = try IdentityFixture(enumeration: .strict)
        _ = try await strict.register()
        let repair = strict.service.accountAdmin.orphans
        let check = OrphanCheck(
            store: strict.store, time: strict.time, logger: strict.log.logger(),
            findings: repair.findings, repair: repair)
        while try await check.step() {}
        #expect(repair.findings.orphans(of: nil, after: nil, limit: 1).isEmpty)
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

    /// A row of each table, of the account with the key 9, as a damaged file may have it.
    static let planted: [(OrphanKind, String)] = [
        (.profile, "profiles (account, display_name, language) VALUES (9, x'00', 'en')"),
        (
            .identity,
            """
            identities (identity, account, look_up_key, method, details, linked_at_ms)
            VALUES (1, 9, x'00', 'google', x'00', 1)
            """
        ),
        (
            .document,
            """
            documents (document, account, collection_key, name_key, version, position, payload,
                bytes, changed_at_ms, is_removed)
            VALUES (1, 9, x'00', x'00', 1, 1, x'00', 1, 1, 0)
            """
        ),
        (
            .document,
            """
            document_totals (account, documents, bytes, removals, position, oldest_position)
            VALUES (9, 1, 1, 0, 1, 0)
            """
        ),
        (
            .photo,
            """
            photos (photo, account, name_key, name, hash, content_type, width, height, bytes,
                uploaded_at_ms, blob)
            VALUES (1, 9, x'00', x'00', x'00', 'image/png', 1, 1, 1, 1, 'b')
            """
        ),
        (.row, "account_keys (account, sealed_key) VALUES (9, x'00')"),
        (
            .row,
            """
            email_addresses (account, look_up_key, address, held_at_ms)
            VALUES (9, x'00', x'00', 1)
            """
        ),
        (.row, "passwords (account, hash, changed_at_ms) VALUES (9, x'00', 1)"),
        (
            .row,
            """
            claims (account, address_key, address, password_hash, claimed_at_ms, expires_at_ms)
            VALUES (9, x'00', x'00', x'00', 1, 1)
            """
        ),
        (
            .row,
            """
            email_changes (account, token_hash, address_key, address, requested_at_ms,
                expires_at_ms)
            VALUES (9, x'00', x'00', x'00', 1, 1)
            """
        ),
        (
            .row,
            """
            links (link, token_hash, purpose, account, address_key, expires_at_ms)
            VALUES (1, x'00', 1, 9, x'00', 1)
            """
        ),
        (
            .row,
            """
            phone_codes (code, number_key, purpose, account, code_hash, stage, evaluated,
                expires_at_ms)
            VALUES (1, x'00', 1, 9, x'00', 1, 0, 1)
            """
        ),
        (.row, "notices (account, kind, mailed_at_ms) VALUES (9, 1, 1)"),
        (
            .row,
            "known_devices (device, account, device_key, seen_at_ms) VALUES (9, 9, x'00', 1)"
        ),
        (.row, "suspensions (account, reason, since_ms) VALUES (9, x'00', 1)"),
        (
            .row,
            """
            consents (account, kind, version, given_at_ms, source, app)
            VALUES (9, 1, '1', 1, 'app', '')
            """
        ),
        (.row, "parental_consents (account, state, changed_at_ms) VALUES (9, 1, 1)"),
        (.row, "removed_identities (account, look_up_key) VALUES (9, x'00')"),
        (
            .row,
            """
            imported_accounts (account, look_up_key, external_id, imported_at_ms)
            VALUES (9, x'00', x'00', 1)
            """
        ),
        (.row, "custom_claims (account, document) VALUES (9, x'00')"),
        (
            .job,
            """
            guest_migrations (migration, account, choice, state, documents, done, created_at_ms,
                changed_at_ms)
            VALUES (1, 9, 1, 3, 0, 0, 1, 1)
            """
        ),
        (
            .document,
            """
            guest_migration_documents (item, account, migration, payload, bytes, changed_at_ms)
            VALUES (1, 9, 1, x'00', 1, 1)
            """
        ),
        (
            .job,
            """
            exports (export, account, state, requested_at_ms, voice, attempts, bytes)
            VALUES (1, 9, 1, 1, 'en', 0, 0)
            """
        ),
        (
            .job,
            """
            deletions (account, step, source, requested_at_ms, due_at_ms, next_attempt_at_ms,
                attempts, sealed_key, payload)
            VALUES (9, 4, 'owner', 1, 1, 1, 0, x'00', x'00')
            """
        ),
    ]

    @Test("a row of any table without an account is found, and is deleted by its repair only")
    func planted() async throws {
        _ = try await fixture.register()
        let admin = fixture.admin(NoActivity())
        let tool = fixture.context(application: "tool")
        for (kind, row) in Self.planted {
            try fixture.damage("INSERT INTO \(row);")
            let found = try await run()
            #expect(found.map(\.kind) == [kind], "\(row)")
            #expect(found.first?.account.key == 9 && found.first?.isRepairable == true)
            #expect(metric("identity_orphans", kind) == 1)
            let request = IdentityV1.RepairOrphanRequest(
                kind: kind.rawValue, accountId: Self.nobody, actor: "ann")
            #expect(try await admin.repairOrphan(request, tool).repaired, "\(row)")
            #expect(metric("identity_orphans", kind) == 0)
            #expect(try await !admin.repairOrphan(request, tool).repaired)
            #expect(try await run().isEmpty, "\(row)")
        }
        let condition = "kind = 'orphan.repaired' AND actor = 'tool/ann'"
        let recorded = try await fixture.count("audit", where: condition)
        #expect(recorded == Int64(Self.planted.count))
        #expect(try await fixture.signIn().account != nil)
    }

    @Test("all tables with accounts are checked, and each is planted above")
    func tables() async throws {
        let schema = try SchemaFile(of: "IdentityService").text()
        let tables = schema.split(separator: "CREATE TABLE ").dropFirst().filter {
            $0.prefix(while: { $0 != ";" }).contains("\n    account INTEGER")
        }.map { String($0.prefix { $0 != " " }) }
        // `audit` outlives accounts.
        let checked = Set(Self.planted.map { String($0.1.prefix { $0 != " " }) })
        #expect(Set(tables).subtracting(["accounts", "audit"]) == checked)
        // Migrations are looked at in two ways.
        #expect(OrphanTable.all.count == checked.count + 1)
    }

    @Test("G-20: a deletion that goes on after its account's rows are gone is no orphan")
    func ending() async throws {
        try fixture.damage(
            """
            INSERT INTO deletions (account, step, source, requested_at_ms, due_at_ms,
                next_attempt_at_ms, attempts, sealed_key, payload)
            VALUES (9, 9, 'owner', 1, 1, 1, 0, x'00', x'00');
            """)
        #expect(try await run().isEmpty)
        let request = IdentityV1.RepairOrphanRequest(
            kind: "job-without-account", accountId: Self.nobody)
        let repaired = try await fixture.admin(NoActivity()).repairOrphan(
            request, fixture.context(application: "tool"))
        #expect(!repaired.repaired)
    }

    @Test("G-16: a migration that has stopped for a day is found, one that is over or new is not")
    func halfDone() async throws {
        let id = try #require(try await fixture.register().account).accountId
        let account = try #require(AccountID(text: id))
        let now = fixture.time.now()
        for state: Int64 in 1...4 {
            try await fixture.change(
                """
                INSERT INTO guest_migrations (account, choice, state, documents, done,
                    created_at_ms, changed_at_ms) VALUES (?, 1, ?, 1, 0, ?, ?)
                """,
                [.integer(account.key), .integer(state), SQLValue(now), SQLValue(now)])
        }
        fixture.time.advance(by: OrphanCheck.migrationMax - .milliseconds(1))
        #expect(try await run().isEmpty)
        fixture.time.advance(by: .milliseconds(1))
        #expect(
            try await run() == [Orphan(kind: .migration, account: account, isRepairable: false)])
        try await fixture.change("UPDATE guest_migrations SET state = 3")
        #expect(try await run().isEmpty)
    }

    @Test("I-04: among 100,000 accounts all orphans are found, and nothing else")
    func pages() async throws {
        let count = 100_000
        // Guests and members of each status, and one with more rows than a page has.
        try fixture.damage(
            """
            WITH RECURSIVE number (n) AS (
                SELECT 10 UNION ALL SELECT n + 1 FROM number WHERE n < \(count))
            INSERT INTO accounts (account, status, created_at_ms, is_guest)
                SELECT n, 1 + n % 4, 1, n % 2 FROM number;
            INSERT INTO account_keys (account, sealed_key) SELECT account, x'00' FROM accounts;
            INSERT INTO profiles (account, display_name, language)
                SELECT account, x'00', 'en' FROM accounts;
            INSERT INTO email_addresses (account, look_up_key, address, held_at_ms)
                SELECT account, CAST(account AS BLOB), x'00', 1 FROM accounts WHERE is_guest = 0;
            INSERT INTO known_devices (account, device_key, seen_at_ms)
                SELECT 500, CAST(account AS BLOB), 1 FROM accounts LIMIT 3000;
            DELETE FROM accounts WHERE account % 500 = 3;
            """)
        let found = try await run()
        let missing = (10...count).count { $0 % 500 == 3 }
        for kind in [OrphanKind.profile, .row] {
            #expect(found.count { $0.kind == kind } == missing)
            #expect(metric("identity_orphans", kind) == Double(missing))
        }
        #expect(found.count == 2 * missing && found.allSatisfy { $0.account.key % 500 == 3 })
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
