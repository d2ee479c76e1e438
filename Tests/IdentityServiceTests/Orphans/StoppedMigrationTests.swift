import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityService

@Suite("G-16: the check for migrations that have stopped", .timeLimit(.minutes(1)))
struct StoppedMigrationTests {
    let fixture: IdentityFixture
    let check: OrphanCheck
    let account: AccountID
    let guest: AccountID

    init() async throws {
        fixture = try IdentityFixture()
        check = fixture.orphanCheck()
        let registered = try #require(try await fixture.register().account)
        account = try #require(AccountID(text: registered.accountId))
        guest = try #require(AccountID(text: try await fixture.signInAsGuest().accountId))
    }

    private var stopped: [Orphan] {
        [Orphan(kind: .migration, account: account, isRepairable: false)]
    }

    private func insert(_ state: Int64, guest: AccountID? = nil) async throws {
        let now = fixture.time.now()
        try await fixture.change(
            """
            INSERT INTO guest_migrations (account, guest, choice, state, documents, done,
                created_at_ms, changed_at_ms) VALUES (?, ?, 1, ?, 1, 0, ?, ?)
            """,
            [
                .integer(account.key), SQLValue(guest?.key), .integer(state), SQLValue(now),
                SQLValue(now),
            ])
    }

    private func set(_ status: AccountStatus, of account: AccountID) async throws {
        try await fixture.change(
            "UPDATE accounts SET status = ? WHERE account = ?",
            [.integer(status.rawValue), .integer(account.key)])
    }

    @Test("one that has stopped for a day is found by two checks; one that is over or new is not")
    func halfDone() async throws {
        for state: Int64 in 1...4 { try await insert(state) }
        fixture.time.advance(by: OrphanCheck.migrationMax - .milliseconds(1))
        for _ in 0..<2 { #expect(try await fixture.run(check).isEmpty) }
        fixture.time.advance(by: .milliseconds(1))
        #expect(try await fixture.run(check).isEmpty)
        #expect(try await fixture.run(check) == stopped)
        #expect(fixture.metric("identity_orphans", .migration) == 1)
        try await fixture.change("UPDATE guest_migrations SET state = 3")
        #expect(try await fixture.run(check).isEmpty)
    }

    @Test("one that waits is not found: its account or guest is suspended, or is being deleted")
    func waiting() async throws {
        try await insert(1, guest: guest)
        fixture.time.advance(by: OrphanCheck.migrationMax)
        for side in [account, guest] {
            for status in [AccountStatus.suspended, .deleting] {
                try await set(status, of: side)
                for _ in 0..<2 {
                    #expect(try await fixture.run(check).isEmpty, "\(side.text) \(status)")
                }
                try await set(.active, of: side)
            }
        }
        for _ in 0..<2 { _ = try await fixture.run(check) }
        #expect(fixture.orphans.findings.orphans(of: nil, after: nil, limit: 9) == stopped)
    }

    @Test("one that goes on after a suspension is not found, as the job has it by the next check")
    func restored() async throws {
        try await insert(2)
        try await set(.suspended, of: account)
        fixture.time.advance(by: OrphanCheck.migrationMax)
        #expect(try await fixture.run(check).isEmpty)
        try await set(.active, of: account)
        #expect(try await fixture.run(check).isEmpty)
        try await fixture.change(
            "UPDATE guest_migrations SET changed_at_ms = ?", [SQLValue(fixture.time.now())])
        #expect(try await fixture.run(check).isEmpty)
    }
}
