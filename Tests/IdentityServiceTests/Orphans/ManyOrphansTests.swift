import ServiceRuntime
import TestSupport
import Testing

@testable import AccountLife

/// A store of 100,000 accounts, in which the remainder of an account's key by `modulus` says what it
/// is: 25 accounts of each.
///
///     remainder mod 4   active, suspended, pending, deleting
///     remainder / 4     even: member; odd: guest
///     below 100         as `healthy` and `incomplete` say
///     from 101 on       an account that does not exist, with a row of the next table
@Suite("I-04: orphans among 100,000 accounts", .timeLimit(.minutes(2)))
struct ManyOrphansTests {
    private static let keys: ClosedRange<Int64> = 4_000...103_999
    private static let modulus: Int64 = 4_000
    /// The first account that does not exist.
    private static let lost: Int64 = 101
    /// One whose deletion goes on.
    private static let ending = lost + Int64(PlantedRow.all.count)

    /// What every account has, unless it is left out, and who has none.
    private static let base = """
        WITH RECURSIVE number (n) AS (
            SELECT \(keys.lowerBound) UNION ALL SELECT n + 1 FROM number
            WHERE n < \(keys.upperBound))
        INSERT INTO accounts (account, status, created_at_ms, is_guest)
            SELECT n, 1 + n % 4, 1, n / 4 % 2 FROM number;
        CREATE TEMP VIEW complete AS SELECT account, is_guest, account % \(modulus) AS rest
            FROM accounts WHERE account % \(modulus) NOT BETWEEN \(lost) AND \(ending)
                AND account % \(modulus) <> \(deleting);
        INSERT INTO account_keys (account, sealed_key)
            SELECT account, x'00' FROM complete WHERE rest <> \(withoutKey);
        INSERT INTO profiles (account, display_name, language)
            SELECT account, x'00', 'en' FROM complete WHERE rest <> \(withoutProfile);
        INSERT INTO email_addresses (account, look_up_key, address, held_at_ms)
            SELECT account, CAST(account AS BLOB), x'00', 1 FROM complete
            WHERE is_guest = 0 AND rest <> \(withoutWayIn);
        DROP VIEW complete;
        """

    /// A member that is being deleted, with no rows any more.
    private static let deleting: Int64 = 11
    // Members that lack something.
    private static let (withoutKey, withoutProfile, withoutWayIn) = (
        Int64(72), Int64(80), Int64(88)
    )
    private static let stopped: Int64 = 64

    private static func rest(_ rest: Int64) -> String {
        "accounts WHERE account % \(modulus) = \(rest)"
    }

    /// Inserts migrations of accounts into which guests' data is moved.
    /// - Parameter guest: An expression.
    private static func migrations(
        _ account: Int64, guest: String = "NULL", state: Int64, kept: String = "NULL",
        changed: Int64 = 1
    ) -> String {
        """
        INSERT INTO guest_migrations (migration, account, guest, choice, state, documents, done,
            kept_until_ms, created_at_ms, changed_at_ms)
        SELECT account, account, \(guest), 1, \(state), 1, 0, \(kept), 1, \(changed)
        FROM \(rest(account));
        """
    }

    /// What must not be found.
    private static func healthy(now: Int64) -> [String] {
        let complete = ["profiles", "account_keys", "email_addresses"]
        // Every row that is an orphan without its account, with its account.
        return PlantedRow.all.filter { !complete.contains($0.table) }.map {
            $0.insert(from: rest(56))
        } + [
            // A suspended account, a suspended guest, an account that is being deleted.
            migrations(1, state: 1), migrations(16, guest: "account - 11", state: 2),
            migrations(3, state: 2),
            // A kept guest, one that needs attention, one that is new.
            migrations(8, guest: "account + 4", state: 3, kept: "9000000000000000"),
            migrations(32, state: 4), migrations(40, state: 1, changed: now),
            // A deletion that waits, and one whose account's rows are gone.
            """
            INSERT INTO deletions (account, step, source, requested_at_ms, due_at_ms,
                next_attempt_at_ms, attempts, sealed_key, payload, is_backend_done)
            SELECT account, CASE account % \(modulus) WHEN 24 THEN 1 ELSE 9 END, 'owner', 1,
                9000000000000000, 9000000000000000, 0, x'00', x'00', 0
            FROM accounts WHERE account % \(modulus) IN (24, \(ending));
            """,
            // More rows than a page has.
            """
            INSERT INTO known_devices (device, account, device_key, seen_at_ms)
            SELECT 1000000 + account, 4500, CAST(account AS BLOB), 1 FROM accounts LIMIT 3000;
            """,
        ]
    }

    /// The remainders of what must be found.
    private static var expected: [OrphanKind: Set<Int64>] {
        var expected: [OrphanKind: Set<Int64>] = [
            .accountWithoutKey: [withoutKey], .accountWithoutProfile: [withoutProfile],
            .accountWithoutWayIn: [withoutWayIn], .migration: [stopped],
        ]
        for (number, row) in PlantedRow.all.enumerated() {
            expected[row.kind, default: []].insert(lost + Int64(number))
        }
        return expected
    }

    @Test("I-04: all orphans of all kinds are found, and nothing else")
    func all() async throws {
        let fixture = try IdentityFixture()
        let planted = PlantedRow.all.enumerated().map { number, row in
            row.insert(from: Self.rest(Self.lost + Int64(number)))
        }
        let healthy = Self.healthy(now: fixture.time.now().milliseconds)
        let gone = """
            DELETE FROM accounts
            WHERE account % \(Self.modulus) BETWEEN \(Self.lost) AND \(Self.ending);
            """
        let script =
            [Self.base] + healthy + planted + [Self.migrations(Self.stopped, state: 2), gone]
        try fixture.damage(script.joined(separator: "\n"))
        let check = fixture.orphanCheck()
        // The second check knows which migrations have stopped.
        _ = try await fixture.run(check)
        let found = try await fixture.run(check)
        let expected = Self.expected
        #expect(Set(expected.keys) == Set(OrphanCheck.kinds))
        for kind in OrphanCheck.kinds {
            let keys = Self.keys.filter { expected[kind]?.contains($0 % Self.modulus) == true }
            #expect(found.filter { $0.kind == kind }.map(\.account.key) == keys, "\(kind)")
            #expect(fixture.metric("identity_orphans", kind) == Double(keys.count), "\(kind)")
        }
    }
}
