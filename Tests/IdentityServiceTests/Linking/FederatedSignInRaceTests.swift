import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-15: parallel first sign-ins", .timeLimit(.minutes(1)))
struct FederatedSignInRaceTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    /// The result of one call.
    private enum Outcome: Sendable {
        case account(String)
        case refused(ErrorCode?)
    }

    private func outcome(_ account: () async throws -> String?) async -> Outcome {
        do {
            return .account(try await account() ?? "")
        } catch {
            return .refused((error as? ServiceError)?.code)
        }
    }

    private func enter(_ number: Int) async -> Outcome {
        await outcome {
            switch number % 5 {
            case 0:
                try await fixture.register(password: "Correct\(number)Horse").account?.accountId
            case 1, 2:
                try await fixture.signIn(by: .token("g1", email: "ada@example.org"))
                    .account?.accountId
            default:
                try await fixture.signIn(by: .token("a1", email: "Ada@EXAMPLE.org", by: "apple"))
                    .account?.accountId
            }
        }
    }

    @Test("G-15: 50 parallel first sign-ins of one address by three methods make one account")
    func oneAccount() async throws {
        let outcomes = await withTaskGroup(of: Outcome.self) { group in
            for number in 0..<50 { group.addTask { await enter(number) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var accounts: Set<String> = []
        for outcome in outcomes {
            switch outcome {
            case .account(let account): accounts.insert(account)
            // A sign-up that comes second fails with the usual error.
            case .refused(let code): #expect(code == .emailAlreadyInUse)
            }
        }
        #expect(outcomes.count == 50 && accounts.count == 1)
        #expect(try await fixture.count("accounts") == 1)
        #expect(try await fixture.count("identities") == 2)
        #expect(try await fixture.count("email_addresses", where: "proved_at_ms IS NOT NULL") == 1)
        // In any order: no password that was set before the address was proved remains.
        #expect(try await fixture.count("passwords") == 0)
    }

    @Test("G-15: 50 parallel first sign-ins with one identity and no email make one account")
    func oneIdentity() async throws {
        let outcomes = await withTaskGroup(of: Outcome.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    await outcome { try await fixture.signIn(by: .token("g1")).account?.accountId }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let accounts = outcomes.compactMap { outcome -> String? in
            if case .account(let account) = outcome { account } else { nil }
        }
        #expect(accounts.count == 50 && Set(accounts).count == 1)
        #expect(try await fixture.count("accounts") == 1)
    }

    @Test("G-05: of 20 parallel uses of one nonce exactly one signs in")
    func oneNonce() async throws {
        let outcomes = await withTaskGroup(of: Outcome.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await outcome {
                        try await fixture.signIn(by: .token("g1", nonce: "n")).account?.accountId
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let refused = outcomes.filter {
            if case .refused(.invalidNonce) = $0 { true } else { false }
        }
        #expect(refused.count == 19)
    }

    @Test("G-07: of 10 parallel upgrades of one guest by ten identities exactly one succeeds")
    func oneUpgrade() async throws {
        let guest = try await fixture.guest()
        let outcomes = await withTaskGroup(of: Outcome.self) { group in
            for number in 0..<10 {
                group.addTask {
                    await outcome {
                        try await fixture.signIn(by: .token("g\(number)"), guest: guest.token)
                            .account?.accountId
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let refused = outcomes.filter {
            if case .refused(.sessionEnded) = $0 { true } else { false }
        }
        #expect(refused.count == 9)
        #expect(try await fixture.count("accounts") == 1)
        #expect(try await fixture.count("identities") == 1)
    }

    @Test("G-15: a sign-in that loses every race fails as unavailable and writes nothing")
    func bounded() async throws {
        // Simulates a database with several writers, where another call wins between read and write
        // each time.
        try await fixture.store.plant(
            "another", "AFTER INSERT ON accounts",
            """
            INSERT INTO email_addresses (account, look_up_key, address, held_at_ms)
            VALUES (NEW.account, x'00', x'00', 1)
            """)
        let error = try await refusal {
            try await fixture.signIn(by: .token("g1", email: "ada@example.org", nonce: "n"))
        }
        #expect(error.code == .unavailable)
        for table in ["accounts", "identities", "used_nonces"] {
            #expect(try await fixture.count(table) == 0, "\(table)")
        }
    }
}
