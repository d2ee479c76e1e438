import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-25: repeated registrations", .timeLimit(.minutes(1)))
struct RegistrationRepeatTests {
    let house: IdentityFixture

    init() throws { house = try IdentityFixture() }

    @Test("G-25: a repeat gets the same account with a new proof, and has no second effect")
    func repeated() async throws {
        let first = try await house.register(key: "k")
        house.time.advance(by: .seconds(60))
        let second = try await house.register(key: "k")
        #expect(first.account == second.account)
        #expect(first.proof?.nonce != second.proof?.nonce)
        let proof = try #require(second.proof)
        #expect(proof.provedAtMs == house.time.now().milliseconds)
        #expect(house.keys.proofs.isGenuine(proof))
        #expect(try await house.count("accounts") == 1)
        #expect(try await house.count("links") == 1)
        try await house.relay()
        #expect(house.notifications.mails.count == 1)
    }

    @Test("G-25: a repeat with another password is refused")
    func wrongPassword() async throws {
        _ = try await house.register(key: "k")
        let error = try await refusal {
            try await house.register(password: "Guessed7Horse", key: "k")
        }
        #expect(error.code == .idempotencyKeyReused)
    }

    @Test("G-25: a repeat with another address is refused")
    func otherAddress() async throws {
        _ = try await house.register(key: "k")
        let error = try await refusal { try await house.register("eve@example.org", key: "k") }
        #expect(error.code == .idempotencyKeyReused)
        #expect(try await house.count("accounts") == 1)
    }

    @Test("G-25: an application's key does not apply to another application")
    func otherApplication() async throws {
        _ = try await house.register(key: "k")
        let error = try await refusal {
            try await house.accounts.register(
                .init(email: "ada@example.org", password: "Correct7Horse"),
                house.context("k", application: "other"))
        }
        #expect(error.code == .emailAlreadyInUse)
    }

    @Test("G-25: 20 parallel calls with one key get the same account")
    func parallel() async throws {
        let accounts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask { try await house.register(key: "k").account?.accountId ?? "" }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(accounts.count == 1)
        #expect(try await house.count("accounts") == 1)
    }

    @Test("G-25: a repeat after a restart gets the same account")
    func restart() async throws {
        let first = try await house.register(key: "k")
        house.store.close()
        let next = try IdentityFixture(folder: house.folder, time: house.time, seed: 2)
        let second = try await next.register(key: "k")
        #expect(first.account == second.account)
    }

    @Test("G-25: a repeat after the account was disabled is refused")
    func suspended() async throws {
        _ = try await house.register(key: "k")
        try await house.change("UPDATE accounts SET status = 2")
        let error = try await refusal { try await house.register(key: "k") }
        #expect(error.code == .accountDisabled)
    }

    @Test("G-25: an idempotency key has 1 to 255 bytes", arguments: [("", false), ("k", true)])
    func keyLengths(key: String, isTaken: Bool) async throws {
        if isTaken {
            _ = try await house.register(key: key)
            _ = try await house.register(
                "b@example.org", key: String(repeating: "k", count: 255))
        }
        for key in isTaken ? [String(repeating: "k", count: 256)] : [key] {
            let error = try await refusal { try await house.register("c@example.org", key: key) }
            #expect(error == ServiceError(.invalidArgument, fields: ["idempotency-key"]))
        }
    }
}
