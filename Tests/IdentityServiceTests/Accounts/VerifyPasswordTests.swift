import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-03: signing in with a password", .timeLimit(.minutes(1)))
struct VerifyPasswordTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    @Test("G-03: sign-in returns the account, the time of the previous sign-in and a proof")
    func answers() async throws {
        let registered = try #require(try await fixture.register().account)
        let registeredAt = fixture.time.now().milliseconds
        fixture.time.advance(by: .seconds(3_600))
        let first = try await fixture.signIn("ADA@Example.ORG")
        #expect(first.account?.accountId == registered.accountId)
        #expect(first.account?.lastSignIn == .lastSignInAtMs(registeredAt))
        let proof = try #require(first.proof)
        #expect(proof.provedAtMs == fixture.time.now().milliseconds)
        #expect(fixture.keys.proofs.isGenuine(proof))

        let firstAt = fixture.time.now().milliseconds
        fixture.time.advance(by: .seconds(3_600))
        let second = try await fixture.signIn()
        #expect(second.account?.lastSignIn == .lastSignInAtMs(firstAt))
        #expect(second.proof?.nonce != proof.nonce)
    }

    @Test("X-02: an unknown address and a wrong password get the same error for the same work")
    func same() async throws {
        _ = try await fixture.register()
        /// Refusals without an account are counted in a separate table.
        func audited() async throws -> Int64 {
            try await fixture.count("audit") + fixture.count("refusal_count")
        }
        var seen: [ServiceError] = []
        for email in ["ada@example.org", "nobody@example.org"] {
            let (hashes, audit) = (fixture.hashes, try await audited())
            seen.append(
                try await refusal { try await fixture.signIn(email, password: "Wrong7Horse") })
            #expect(fixture.hashes == hashes + 1, "\(email)")
            #expect(try await audited() == audit + 1, "\(email)")
        }
        #expect(seen == [ServiceError(.invalidCredential), ServiceError(.invalidCredential)])
    }

    @Test("X-02: only a caller with the right password learns that an account is disabled")
    func disabled() async throws {
        _ = try await fixture.register()
        for status in [2, 4] {
            try await fixture.change("UPDATE accounts SET status = ?", [.integer(Int64(status))])
            let hashes = fixture.hashes
            let wrong = try await refusal { try await fixture.signIn(password: "Wrong7Horse") }
            #expect(wrong == ServiceError(.invalidCredential))
            let right = try await refusal { try await fixture.signIn() }
            #expect(right == ServiceError(.accountDisabled))
            #expect(fixture.hashes == hashes + 2)
        }
    }

    @Test("X-02: an account without a password costs the same hash")
    func noPassword() async throws {
        _ = try await fixture.register()
        try await fixture.change("DELETE FROM passwords")
        let hashes = fixture.hashes
        let error = try await refusal { try await fixture.signIn() }
        #expect(error == ServiceError(.invalidCredential))
        #expect(fixture.hashes == hashes + 1)
    }

    @Test("I-02: a password over 1 KiB is refused without a hash, for any address")
    func tooLong() async throws {
        _ = try await fixture.register()
        let hashes = fixture.hashes
        for email in ["ada@example.org", "nobody@example.org"] {
            let error = try await refusal {
                try await fixture.signIn(email, password: String(repeating: "x", count: 1_025))
            }
            #expect(error == ServiceError(.invalidCredential))
        }
        #expect(fixture.hashes == hashes)
    }

    @Test("X-02: an empty password is refused like any wrong one")
    func empty() async throws {
        _ = try await fixture.register()
        let error = try await refusal { try await fixture.signIn(password: "") }
        #expect(error == ServiceError(.invalidCredential))
    }

    @Test("I-03: a weaker hash is replaced at a sign-in, and the password still works")
    func upgraded() async throws {
        _ = try await fixture.register()
        fixture.store.close()
        let stronger = Argon2Parameters(memoryKiB: 64, passes: 2, lanes: 1)
        let next = try IdentityFixture(
            folder: fixture.folder, time: fixture.time, seed: 2, parameters: stronger)
        let before = try await hash(next)
        _ = try await next.signIn()
        let after = try await hash(next)
        #expect(before != after)
        #expect(next.hashes == 2)
        _ = try await next.signIn()
        #expect(try await hash(next) == after)
        #expect(next.hashes == 3)
        _ = try await refusal { try await next.signIn(password: "Wrong7Horse") }
    }

    @Test("I-03: of 10 parallel sign-ins that upgrade the hash none fails")
    func upgradedAtOnce() async throws {
        _ = try await fixture.register()
        fixture.store.close()
        let next = try IdentityFixture(
            folder: fixture.folder, time: fixture.time, seed: 2,
            parameters: Argon2Parameters(memoryKiB: 64, passes: 2, lanes: 1))
        let proofs = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<10 {
                group.addTask { try await next.signIn().proof?.nonce ?? [] }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(proofs.count == 10)
    }

    @Test("I-03: a failed sign-in does not upgrade the hash")
    func notUpgraded() async throws {
        _ = try await fixture.register()
        fixture.store.close()
        let next = try IdentityFixture(
            folder: fixture.folder, time: fixture.time, seed: 2,
            parameters: Argon2Parameters(memoryKiB: 64, passes: 2, lanes: 1))
        let before = try await hash(next)
        _ = try await refusal { try await next.signIn(password: "Wrong7Horse") }
        #expect(try await hash(next) == before)
    }

    @Test("G-25: a repeat reports the same previous sign-in and does not count as a sign-in")
    func repeated() async throws {
        _ = try await fixture.register()
        let registeredAt = fixture.time.now().milliseconds
        fixture.time.advance(by: .seconds(60))
        let first = try await fixture.signIn(key: "k")
        fixture.time.advance(by: .seconds(60))
        let second = try await fixture.signIn(key: "k")
        #expect(first.account?.lastSignIn == .lastSignInAtMs(registeredAt))
        #expect(second.account?.lastSignIn == .lastSignInAtMs(registeredAt))
        #expect(first.proof?.nonce != second.proof?.nonce)
        #expect(try await fixture.count("audit", where: "kind = 'sign-in.succeeded'") == 1)
        let wrong = try await refusal {
            try await fixture.signIn(password: "Wrong7Horse", key: "k")
        }
        #expect(wrong.code == .invalidCredential)
    }

    @Test("X-04: after the owner has taken the account back, a repeat compares no password")
    func takenBack() async throws {
        _ = try await fixture.register()
        _ = try await fixture.signIn(key: "k")
        try await fixture.resetPassword()
        let hashes = fixture.hashes
        for password in ["Owner8Password", "Correct7Horse"] {
            let refused = try await refusal {
                try await fixture.signIn(password: password, key: "k")
            }
            #expect(refused.code == .idempotencyKeyReused)
        }
        #expect(fixture.hashes == hashes)
    }

    @Test("X-02: a key of another request is refused before a comparison, while the writer is busy")
    func keyOfOtherRequest() async throws {
        _ = try await fixture.register()
        _ = try await fixture.register("eve@example.org")
        _ = try await fixture.signIn(key: "k")
        let hashes = fixture.hashes
        let writer = HeldWriter()
        async let held: Void = fixture.store.write(about: []) { _ in writer.hold() }
        await writer.untilHeld(1)
        defer { writer.release() }
        for password in ["Correct7Horse", "Wrong7Horse"] {
            let error = try await refusal {
                try await fixture.signIn("eve@example.org", password: password, key: "k")
            }
            #expect(error.code == .idempotencyKeyReused)
        }
        #expect(fixture.hashes == hashes)
        writer.release()
        try await held
    }

    @Test("A-01: successes and failures are audited, failures with their code")
    func audit() async throws {
        _ = try await fixture.register()
        _ = try await fixture.signIn()
        _ = try await refusal { try await fixture.signIn(password: "Wrong7Horse") }
        _ = try await refusal { try await fixture.signIn("nobody@example.org") }
        #expect(try await fixture.count("audit", where: "kind = 'sign-in.succeeded'") == 1)
        #expect(
            try await fixture.count(
                "audit",
                where: "kind = 'sign-in.failed' AND outcome = 'auth/invalid-credential'") == 1)
        #expect(
            try await fixture.count(
                "audit", where: "kind = 'sign-in.failed' AND account IS NULL") == 0)
        let counted = "kind = 'sign-in.failed' AND outcome = 'auth/invalid-credential'"
        #expect(try await fixture.count("refusal_count", where: counted) == 1)
    }

    @Test("H1: guesses at unknown addresses are one audit row for each network and minute")
    func invented() async throws {
        let fixture = try IdentityFixture()
        for number in 0..<40 {
            // Twenty from each of two networks.
            let address = "198.51.\(100 + number % 2).\(number)"
            let error = try await refusal {
                try await fixture.accounts.verifyPassword(
                    .init(
                        signIn: .init(
                            email: "nobody\(number)@example.org", password: "Wrong7Horse")),
                    fixture.context(from: address))
            }
            #expect(error.code == .invalidCredential)
        }
        #expect(try await fixture.count("audit") == 0)
        fixture.time.advance(by: .seconds(60))
        try await fixture.purge()
        #expect(try await fixture.count("audit", where: "attempt = 20 AND account IS NULL") == 2)
        #expect(try await fixture.count("audit") == 2)
        #expect(try await fixture.count("refusal_count") == 0)
    }

    private func hash(_ fixture: IdentityFixture) async throws -> [UInt8]? {
        try await fixture.store.read { session in
            try session.queryOne("SELECT hash FROM passwords") { try $0.blob(0) }
        }
    }
}
