import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityAssembly
@testable import IdentityService
@testable import PersonalData

@Suite(
    "Two calls about one account at once, from sixteen connections",
    .enabled(if: TestStore.writers > 1), .serialized)
struct AccountStormTests {
    /// Two calls about an account of their own, of a person with this number.
    private struct Kind: Sendable {
        let name: String
        let arrange: @Sendable (IdentityFixture, Int) async throws -> PairStorm.Pair

        init(
            _ name: String,
            _ arrange: @escaping @Sendable (IdentityFixture, Int) async throws -> PairStorm.Pair
        ) {
            (self.name, self.arrange) = (name, arrange)
        }
    }

    @Test(
        "the calls leave what they leave one after the other; also if the server is SERIALIZABLE",
        arguments: [false, true])
    func storm(isSerializable: Bool) async throws {
        let fixture = try IdentityFixture(
            server: TestStore.OnServer(
                connections: PairStorm.connections, isSerializable: isSerializable))
        // The first sign-in writes down the scheme of the passwords.
        _ = try await fixture.responseTimeFloor.floor()
        let seed = SoakRounds.seed ?? 1
        let randomness = SeededRandomness(seed: seed)
        var storm = PairStorm()
        let pairs = SoakRounds.isLong ? SoakRounds.count * 10 : 100
        var person = 0
        while storm.pairs < pairs {
            let kind = Self.kinds[Int(randomness.next() % UInt64(Self.kinds.count))]
            try await storm.run(kind.name) {
                person += 1
                return try await kind.arrange(fixture, person)
            }
        }
        #expect(storm.wrong.isEmpty, "seed \(seed)")
        print("storm: \(storm.pairs) pairs, SERIALIZABLE: \(isSerializable)")
    }

    private static let kinds = [
        Kind("VerifyPassword, ResetPassword") { fixture, person in
            let (email, account) = try await fixture.proved(person)
            _ = try await fixture.credentials.requestPasswordReset(
                .init(email: email), fixture.context())
            try await fixture.relay()
            let link = try fixture.latestToken("reset-password", to: email)
            return fixture.pair(
                account, { _ = try await fixture.signIn(email) },
                {
                    _ = try await fixture.credentials.resetPassword(
                        .init(
                            token: link, password: .init(text: "Owners9Password"),
                            device: IdentityFixture.device), fixture.context())
                })
        },
        Kind("LinkProvider, UnlinkMethod") { fixture, person in
            let (email, account) = try await fixture.proved(person)
            let session = fixture.devices.open(account)
            _ = try await fixture.link(.token("g\(person)", email: email), in: session)
            return fixture.pair(
                account,
                { _ = try await fixture.link(.token("a\(person)", by: "apple"), in: session) },
                { _ = try await fixture.unlink("google", in: session) })
        },
        Kind("UnlinkMethod of each of the last two methods") { fixture, person in
            let (email, account) = try await fixture.proved(person)
            let session = fixture.devices.open(account)
            _ = try await fixture.link(.token("g\(person)", email: email), in: session)
            return fixture.pair(
                account, { _ = try await fixture.unlink("password", in: session) },
                { _ = try await fixture.unlink("google", in: session) })
        },
        Kind("LinkProvider of two identities of one provider") { fixture, person in
            let account = try await fixture.proved(person).account
            let session = fixture.devices.open(account)
            return fixture.pair(
                account, { _ = try await fixture.link(.token("g\(person)"), in: session) },
                { _ = try await fixture.link(.token("h\(person)"), in: session) })
        },
        Kind("two Register at one address") { fixture, person in
            let email = "new.\(person)@example.org"
            return fixture.pair(
                nil, { _ = try await fixture.register(email) },
                { _ = try await fixture.register(email) })
        },
        Kind("two first SignInWithProvider by one identity") { fixture, person in
            let token = GatewayV1.ProviderToken.token("n\(person)")
            return fixture.pair(
                nil, { _ = try await fixture.signIn(by: token) },
                { _ = try await fixture.signIn(by: token) })
        },
        Kind("two RequestDeletion") { fixture, person in
            let account = try await fixture.proved(person).account
            let caller = IdentityFixture.caller(fixture.devices.open(account))
            let confirmation = try await fixture.confirm(caller)
            return fixture.pair(
                account, { _ = try await fixture.requestDeletion(confirmation, by: caller) },
                { _ = try await fixture.requestDeletion(confirmation, by: caller) })
        },
    ]
}

extension IdentityFixture {
    /// An account with a password and a proved address.
    fileprivate func proved(_ person: Int) async throws -> (email: String, account: String) {
        let email = "person.\(person)@example.org"
        return (email, try await registerProved(email).accountId)
    }

    /// Two calls, and what is stored of the account after them. Without one, and always: that no
    /// account is without a way to sign in.
    fileprivate func pair(
        _ account: String?, _ first: @escaping PairStorm.Call, _ second: @escaping PairStorm.Call
    ) -> PairStorm.Pair {
        let key = account.flatMap { AccountID(text: $0) }?.key ?? 0
        return PairStorm.Pair(
            first, second, look: { [store] in try await Self.look(store, key) })
    }

    private static func look(_ store: Store, _ account: Int64) async throws -> String {
        let own = "WHERE account = ?1"
        let statements = [
            "accounts of this key": "SELECT count(*) FROM accounts \(own)",
            "active": "SELECT count(*) FROM accounts \(own) AND status = 1",
            "identities": "SELECT count(*) FROM identities \(own)",
            "passwords": "SELECT count(*) FROM passwords \(own)",
            "proved": "SELECT count(*) FROM email_addresses \(own) AND proved_at_ms > 0",
            "links": "SELECT count(*) FROM links \(own)",
            "removals": "SELECT count(*) FROM removed_identities \(own)",
            "deletions": "SELECT count(*) FROM deletions \(own)",
            "homeless":
                """
            SELECT count(*) FROM accounts WHERE CAST(?1 AS BIGINT) >= 0
                AND account NOT IN (SELECT account FROM deletions)
                AND account NOT IN (SELECT account FROM passwords)
                AND account NOT IN (SELECT account FROM identities)
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
