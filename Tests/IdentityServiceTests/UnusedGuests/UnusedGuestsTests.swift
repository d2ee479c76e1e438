import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityService
@testable import PersonalData

@Suite("I-04: guests that nobody comes back to", .timeLimit(.minutes(1)))
struct UnusedGuestsTests {
    private static let day = Duration.seconds(86_400)
    let fixture: IdentityFixture
    let activity = GivenActivity()
    let guests: UnusedGuests

    init() throws { try self.init(kept: Self.day * 180) }

    private init(kept: Duration?) throws {
        fixture = try IdentityFixture(guestKept: kept, activity: activity)
        guests = UnusedGuests(
            search: fixture.admin(activity).guests,
            deletions: fixture.deletions.deletions,
            time: fixture.time, logger: fixture.log.logger(time: fixture.time))
    }

    private func run() async throws {
        while try await guests.step() {}
    }

    /// The accounts that are being deleted.
    private func deleted() async throws -> Set<String> {
        let keys = try await fixture.store.read { session in
            try session.query(
                "SELECT account FROM deletions WHERE source = 'guest-kept'"
            ) { try AccountID(stored: $0.integer(0)).text }
        }
        return Set(keys)
    }

    private func list() async throws -> GatewayV1.ListUnusedGuestsResponse {
        try await fixture.admin(activity).listUnusedGuests(
            .init(), fixture.context(application: "tool"))
    }

    private func logged() -> [String] {
        fixture.log.lines.filter { $0.contains("identity.guests.unused") }
    }

    private var now: Int64 { fixture.time.now().milliseconds }

    /// The activity of a guest with a session that is used now.
    private var live: GatewayV1.AccountActivity {
        .init(
            liveSessions: 1, lastActivity: .lastActivityAtMs(now), lastSeen: .lastSeenAtMs(now))
    }

    @Test("a guest goes 180 days after its last use, one with a live session and a member never")
    func expired() async throws {
        let unused = try await fixture.signInAsGuest().accountId
        let used = try await fixture.signInAsGuest().accountId
        let seen = try await fixture.signInAsGuest().accountId
        _ = try await fixture.register()
        activity.set(used, live)
        try await run()
        fixture.time.advance(by: Self.day * 100)
        activity.set(seen, .init(lastSeen: .lastSeenAtMs(now)))
        fixture.time.advance(by: Self.day * 80 - .milliseconds(1))
        try await run()
        #expect(try await deleted().isEmpty)
        fixture.time.advance(by: .milliseconds(1))
        try await run()
        #expect(try await deleted() == [unused])
        #expect(try await fixture.audited("guest.expired") == 1)
        #expect(try await fixture.count("accounts", where: "status = 4") == 1)
        fixture.time.advance(by: Self.day * 100)
        for _ in 0..<2 { try await run() }
        #expect(try await deleted() == [unused, seen])
        #expect(try await fixture.audited("guest.expired") == 2)
    }

    @Test("an upgrade counts from its own time, and the first search says how many go and when")
    func upgraded() async throws {
        let old = try await fixture.signInAsGuest().accountId
        _ = try await fixture.signInAsGuest()
        fixture.time.advance(by: Self.day * 1_000)
        try await fixture.change(
            "UPDATE schema_migrations SET applied_at_ms = ? WHERE number = ?",
            [SQLValue(fixture.time.now()), .integer(Int64(IdentityTables.guestsMigration))])
        let first = (fixture.time.now() + Self.day * 180).text
        try await run()
        #expect(logged().count == 1)
        #expect(logged().allSatisfy { $0.contains("\"count\":2") && $0.contains(first) })
        fixture.time.advance(by: Self.day * 179)
        try await run()
        #expect(try await deleted().isEmpty && logged().count == 1)
        #expect(try await list().guests.map(\.accountId).contains(old))
        fixture.time.advance(by: Self.day)
        try await run()
        #expect(try await deleted().count == 2)
    }

    @Test("guest-kept=forever keeps them, asks nobody and says nothing")
    func forever() async throws {
        let kept = try Self(kept: nil)
        _ = try await kept.fixture.signInAsGuest()
        kept.fixture.time.advance(by: Self.day * 10_000)
        try await kept.run()
        #expect(kept.activity.calls == 0 && kept.logged().isEmpty)
        #expect(try await kept.deleted().isEmpty)
        let listed = try await kept.list()
        #expect(listed.keptDays == 0)
        #expect(listed.guests.map(\.deletedAtMs) == [0])
    }

    @Test("a suspended guest is not deleted by time")
    func suspended() async throws {
        let guest = try #require(AccountID(text: try await fixture.signInAsGuest().accountId))
        _ = try await fixture.store.write(about: [.account(guest)]) {
            try $0.apply(.suspend, guest)
        }
        fixture.time.advance(by: Self.day * 200)
        try await run()
        #expect(try await deleted().isEmpty)
    }

    @Test("a guest with documents that need attention stays until its migration is over")
    func migrating() async throws {
        let guest = try #require(AccountID(text: try await fixture.signInAsGuest().accountId))
        let owner = try #require(try await fixture.register().account).accountId
        let account = try #require(AccountID(text: owner))
        let migration = try #require(MigrationID(key: 7))
        try await fixture.store.write(about: [.account(account), .account(guest)]) { transaction in
            try transaction.insert(
                StoredMigration(
                    migration: migration, account: account, guest: guest, choice: .merge,
                    state: .needsAttention, documents: 1, done: 0, sealedPicks: nil,
                    keptUntil: nil, createdAt: transaction.at, changedAt: transaction.at),
                expiresAt: nil)
        }
        fixture.time.advance(by: Self.day * 180)
        try await run()
        #expect(try await deleted().isEmpty)
        #expect(try await list().guests.isEmpty)
        try await fixture.change("UPDATE guest_migrations SET state = 3")
        fixture.time.advance(by: Self.day)
        try await run()
        #expect(try await deleted() == [guest.text])
    }

    @Test("while the session service is away nothing is deleted; the search goes on afterwards")
    func away() async throws {
        let guest = try await fixture.signInAsGuest().accountId
        fixture.time.advance(by: Self.day * 200)
        activity.fail(.unavailable)
        let error = try await refusal { try await guests.step() }
        #expect(error.code == .unavailable)
        #expect(try await deleted().isEmpty)
        activity.fail(nil)
        try await run()
        #expect(try await deleted() == [guest])
    }

    @Test("pages of guests: each is looked at once in a search, and the one that is due goes")
    func pages() async throws {
        let count = 2 * UnusedGuestSearch.guestsMax + 1
        try fixture.damage(
            """
            WITH RECURSIVE number (n) AS (
                SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < \(count))
            INSERT INTO accounts (account, status, created_at_ms, is_guest)
                SELECT n, 1, \(now), 1 FROM number;
            """)
        for key in 1..<count {
            let id = try #require(AccountID(key: key)).text
            activity.set(id, live)
        }
        try await run()
        #expect(activity.calls == 3)
        #expect(logged().allSatisfy { $0.contains("\"count\":1") } && logged().count == 1)
        fixture.time.advance(by: Self.day * 180)
        try await run()
        #expect(try await deleted() == [try #require(AccountID(key: count)).text])
    }

    @Test("the list has unused guests with their time, in pages, and none that is being deleted")
    func listed() async throws {
        let created = now
        let unused = try await fixture.signInAsGuest().accountId
        let used = try await fixture.signInAsGuest().accountId
        _ = try await fixture.register()
        activity.set(used, live)
        fixture.time.advance(by: Self.day)
        activity.set(unused, .init(lastSeen: .lastSeenAtMs(now)))
        let listed = try await list()
        let kept = (Self.day * 180).milliseconds
        #expect(
            listed
                == .init(
                    guests: [
                        .init(accountId: unused, lastSeenAtMs: now, deletedAtMs: now + kept)
                    ], keptDays: 180))
        #expect(created < now)
        fixture.time.advance(by: Self.day * 180)
        try await run()
        #expect(try await list().guests.isEmpty)
        let error = try await refusal {
            try await fixture.admin(activity).listUnusedGuests(
                .init(pageToken: "7"), fixture.context(application: "tool"))
        }
        #expect(error.fields == ["page_token"])
    }
}
