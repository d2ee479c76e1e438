import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import AccountLife
@testable import IdentityService

@Suite("G-25: repeated registrations", .timeLimit(.minutes(1)))
struct RegisterRepeatTests {
    let fixture: IdentityFixture

    init() throws { fixture = try IdentityFixture() }

    @Test("G-25: a repeat gets the same account with a new proof, and has no second effect")
    func repeated() async throws {
        let first = try await fixture.register(key: "k")
        fixture.time.advance(by: .seconds(60))
        let second = try await fixture.register(key: "k")
        #expect(first.account == second.account)
        #expect(first.proof?.nonce != second.proof?.nonce)
        let proof = try #require(second.proof)
        #expect(proof.provedAtMs == fixture.time.now().milliseconds)
        #expect(fixture.keys.proofs.isGenuine(proof))
        #expect(try await fixture.count("accounts") == 1)
        #expect(try await fixture.count("links") == 1)
        try await fixture.relay()
        #expect(fixture.notifications.mails.count == 1)
    }

    @Test("G-25: a repeat with another password is refused")
    func wrongPassword() async throws {
        _ = try await fixture.register(key: "k")
        let error = try await refusal {
            try await fixture.register(password: "Guessed7Horse", key: "k")
        }
        #expect(error.code == .idempotencyKeyReused)
    }

    @Test(
        "X-04: 20 wrong passwords of repeats are compared, and no more",
        arguments: IdentitySettings.EnumerationMode.allCases)
    func guesses(enumeration: IdentitySettings.EnumerationMode) async throws {
        let fixture = try IdentityFixture(enumeration: enumeration)
        _ = try await fixture.register(key: "k")
        for number in 0..<20 {
            let wrong = "Guessed\(number)Horse"
            let refused = try await refusal {
                try await fixture.register(password: wrong, key: "k")
            }
            #expect(refused.code == .idempotencyKeyReused)
        }
        let hashes = fixture.hashes
        let refused = try await refusal { try await fixture.register(key: "k") }
        #expect(refused.code == .idempotencyKeyReused)
        #expect(fixture.hashes == hashes + 1, "the password is hashed, and not compared any more")
    }

    @Test("X-04: once the owner has taken the account over, a repeat compares no password")
    func takenOver() async throws {
        _ = try await fixture.register(key: "k")
        try await fixture.relay()
        _ = try await fixture.accounts.confirmEmail(
            .init(token: try fixture.latestToken(), password: "Owner8Password"), fixture.context())
        let hashes = fixture.hashes
        for password in ["Owner8Password", "Correct7Horse"] {
            let refused = try await refusal {
                try await fixture.register(password: password, key: "k")
            }
            #expect(refused.code == .idempotencyKeyReused)
        }
        #expect(fixture.hashes == hashes + 2, "both are hashed, and not compared")
    }

    @Test("G-25: a repeat after the address was confirmed gets the account")
    func confirmed() async throws {
        let first = try await fixture.register(key: "k")
        try await fixture.relay()
        _ = try await fixture.accounts.confirmEmail(
            .init(token: try fixture.latestToken(), password: "Correct7Horse"), fixture.context())
        let second = try await fixture.register(key: "k")
        #expect(second.account?.accountId == first.account?.accountId && second.proof != nil)
    }

    @Test("G-25: a repeat with another address is refused")
    func otherAddress() async throws {
        _ = try await fixture.register(key: "k")
        let error = try await refusal { try await fixture.register("eve@example.org", key: "k") }
        #expect(error.code == .idempotencyKeyReused)
        #expect(try await fixture.count("accounts") == 1)
    }

    @Test("G-25: an application's key does not apply to another application")
    func otherApplication() async throws {
        _ = try await fixture.register(key: "k")
        let error = try await refusal {
            try await fixture.accounts.register(
                .init(signUp: .init(email: "ada@example.org", password: "Correct7Horse")),
                fixture.context("k", application: "other"))
        }
        #expect(error.code == .emailAlreadyInUse)
    }

    @Test("G-25: 20 parallel calls with one key get the same account")
    func parallel() async throws {
        let accounts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask { try await fixture.register(key: "k").account?.accountId ?? "" }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(accounts.count == 1)
        #expect(try await fixture.count("accounts") == 1)
    }

    @Test("G-25: a repeat after a restart gets the same account")
    func restart() async throws {
        let first = try await fixture.register(key: "k")
        fixture.store.close()
        let next = try IdentityFixture(folder: fixture.folder, time: fixture.time, seed: 2)
        let second = try await next.register(key: "k")
        #expect(first.account == second.account)
    }

    @Test("G-25: a repeat after a suspension is refused, and so is one after it was lifted")
    func suspendedByOperator() async throws {
        let account = try await fixture.register(key: "k").account?.accountId ?? ""
        let admin = fixture.admin(NoActivity())
        let tool = fixture.context(application: "tool")
        _ = try await admin.suspendAccount(.init(accountId: account, reason: "spam"), tool)
        #expect(
            try await refusal { try await fixture.register(key: "k") }.code
                == .idempotencyKeyReused)
        _ = try await admin.restoreAccount(.init(accountId: account), tool)
        #expect(
            try await refusal { try await fixture.register(key: "k") }.code
                == .idempotencyKeyReused)
    }

    @Test("a repeat does not lengthen the time for which its response is stored")
    func storedFor() async throws {
        _ = try await fixture.register(key: "k")
        fixture.time.advance(by: .seconds(23 * 3_600))
        _ = try await fixture.register(key: "k")
        fixture.time.advance(by: .seconds(3_600))
        #expect(
            try await refusal { try await fixture.register(key: "k") }.code == .emailAlreadyInUse)
    }

    @Test("G-25: a repeat after the account was disabled is refused")
    func suspended() async throws {
        _ = try await fixture.register(key: "k")
        try await fixture.change("UPDATE accounts SET status = 2")
        let error = try await refusal { try await fixture.register(key: "k") }
        #expect(error.code == .accountDisabled)
    }

    @Test("G-25: an idempotency key has 1 to 255 bytes", arguments: [("", false), ("k", true)])
    func keyLengths(key: String, isTaken: Bool) async throws {
        if isTaken {
            _ = try await fixture.register(key: key)
            _ = try await fixture.register(
                "b@example.org", key: String(repeating: "k", count: 255))
        }
        for key in isTaken ? [String(repeating: "k", count: 256)] : [key] {
            let error = try await refusal { try await fixture.register("c@example.org", key: key) }
            #expect(error == ServiceError(.invalidArgument, fields: ["idempotency-key"]))
        }
    }
}
