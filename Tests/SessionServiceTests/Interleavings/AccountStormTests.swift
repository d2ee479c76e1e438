import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite(
    "Two calls about one account at once, from sixteen connections",
    .enabled(if: TestStore.writers > 1), .serialized)
struct AccountStormTests {
    /// A call about an account of two sessions.
    private struct Operation: Sendable {
        let name: String
        let call: @Sendable (TwoSessions) async throws -> Void

        init(_ name: String, _ call: @escaping @Sendable (TwoSessions) async throws -> Void) {
            (self.name, self.call) = (name, call)
        }
    }

    private static let refresh = Operation("RefreshSession") { try await $0.refresh(0) }
    private static let signOut = Operation("SignOut") { try await $0.signOut(0) }
    private static let endOthers = Operation("EndOtherSessions") { try await $0.endOthers(by: 0) }
    private static let endFirst = Operation("EndOtherSessions by the second session") {
        try await $0.endOthers(by: 1)
    }
    private static let operations = [
        refresh, signOut, endOthers, endFirst,
        Operation("RefreshSession of the second session") { try await $0.refresh(1) },
        Operation("SignOut of all") { try await $0.signOut(0, all: true) },
        Operation("SignOut by the refresh token") { try await $0.signOutByRefreshToken(0) },
        Operation("SignOut of all by a refresh token") {
            try await $0.signOutByRefreshToken(0, all: true)
        },
        Operation("EndSession") { try await $0.end(0, by: 1) },
        Operation("EndAccountSessions") { try await $0.endAccount() },
        Operation("CreateSession") { try await $0.create(0) },
        Operation("CreateSession by the second proof") { try await $0.create(1) },
        Operation("Reauthenticate") { try await $0.reauthenticate(0) },
        Operation("CreateSession by a proof with claims") { try await $0.create(2) },
        Operation("SetAccountClaims") { try await $0.setClaims(1) },
        Operation("SetAccountClaims, a later version") { try await $0.setClaims(3) },
    ]
    /// Pairs in which each call changes what the other one decides by.
    private static let contested = [(refresh, refresh), (refresh, signOut), (endOthers, endFirst)]

    @Test(
        "the calls leave what they leave one after the other; also if the server is SERIALIZABLE",
        arguments: [false, true])
    func storm(isSerializable: Bool) async throws {
        let fixture = try await SessionFixture(
            server: TestStore.OnServer(
                connections: PairStorm.connections, isSerializable: isSerializable))
        // For `look`: the service itself never reads the ended sessions of an account.
        try await fixture.store.write(about: []) {
            try $0.put("CREATE INDEX session_of_account ON session (account)", [])
        }
        let seed = SoakRounds.seed ?? 1
        let randomness = SeededRandomness(seed: seed)
        func draw<Element>(_ elements: [Element]) -> Element {
            elements[Int(randomness.next() % UInt64(elements.count))]
        }
        var storm = PairStorm()
        let pairs = SoakRounds.isLong ? SoakRounds.count * 1_000 : 400
        var account: Int64 = 0
        while storm.pairs < pairs {
            let (first, second) =
                storm.pairs % 16 == 0
                ? draw(Self.contested) : (draw(Self.operations), draw(Self.operations))
            try await storm.run("\(first.name), \(second.name)") {
                account += 1
                let (given, key) = (try await TwoSessions(fixture, of: account), account)
                return PairStorm.Pair(
                    { try await first.call(given) }, { try await second.call(given) },
                    look: { [store = fixture.store] in try await Self.look(store, key) })
            }
        }
        #expect(storm.wrong.isEmpty, "seed \(seed)")
        print("storm: \(storm.pairs) pairs, SERIALIZABLE: \(isSerializable)")
    }

    /// What is stored of an account. What is audited also depends on what happened before.
    private static func look(_ store: Store, _ account: Int64) async throws -> String {
        let sessions = "SELECT id FROM session WHERE account = ?1"
        let statements = [
            "live": "SELECT count(*) FROM session WHERE account = ?1 AND ended_at_ms IS NULL",
            "ended": "SELECT count(*) FROM session WHERE account = ?1 AND end_reason > 0",
            "as the sum of the counters":
                "SELECT CAST(sum(counter) AS BIGINT) FROM session WHERE account = ?1",
            "as the sum of the reasons":
                """
            SELECT CAST(coalesce(sum(end_reason), 0) AS BIGINT) FROM session WHERE account = ?1
            """,
            "revocations": "SELECT count(*) FROM session_end WHERE session IN (\(sessions))",
            "account ends": "SELECT count(*) FROM account_end WHERE account = ?1",
            "as the version of the claims":
                """
            SELECT CAST(coalesce(sum(version), 0) AS BIGINT) FROM account_claims
            WHERE account = ?1
            """,
            "flags":
                """
            SELECT CAST(coalesce(sum(has_claims), 0) AS BIGINT) FROM session
            WHERE account = ?1 AND ended_at_ms IS NULL
            """,
        ]
        return try await store.read { session in
            try statements.sorted { $0.key < $1.key }.map { name, sql in
                let number = try session.queryOne(sql, [.integer(account)]) { try $0.integer(0) }
                return "\(number ?? 0) \(name)"
            }.joined(separator: ", ")
        }
    }
}
