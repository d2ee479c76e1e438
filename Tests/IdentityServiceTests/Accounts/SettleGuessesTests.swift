import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("R-03: the outcome of guesses whose answer was lost", .timeLimit(.minutes(1)))
struct SettleGuessesTests {
    private static let right = "Correct7Horse"
    private static let wrong = "Wrong7Horse"

    let fixture: IdentityFixture

    init() async throws {
        fixture = try IdentityFixture()
        _ = try await fixture.register()
    }

    /// - Returns: the code of the error; nil for a right guess.
    private func guess(
        _ password: String, _ charge: String, email: String = "ada@example.org",
        key: String? = nil, in other: IdentityFixture? = nil
    ) async throws -> ErrorCode? {
        let fixture = other ?? fixture
        do {
            _ = try await fixture.accounts.verifyPassword(
                .init(
                    signIn: .init(
                        email: email, password: .init(text: password),
                        device: IdentityFixture.device), chargeId: charge), fixture.context(key))
            return nil
        } catch let error as ServiceError {
            return error.code
        }
    }

    private func settle(
        _ charges: [String], in other: IdentityFixture? = nil
    ) async throws -> [String] {
        let fixture = other ?? fixture
        return try await fixture.accounts.settleGuesses(
            .init(chargeIds: charges), fixture.context()
        ).wrong
    }

    /// A row of the table at `ChargedGuess`.
    struct Row: CustomTestStringConvertible, Sendable {
        /// What happened to the charge: `ask`, or a guess with its result.
        let steps: [Step]

        enum Step: Sendable {
            case ask(isWrong: Bool)
            case right(ErrorCode?)
            case wrong(ErrorCode)
        }

        var testDescription: String { "\(steps)" }
    }

    @Test(
        "R-03: the first outcome stays",
        arguments: [
            Row(steps: [.wrong(.invalidCredential), .ask(isWrong: true), .ask(isWrong: true)]),
            Row(steps: [.right(nil), .ask(isWrong: false), .ask(isWrong: false)]),
            Row(steps: [.ask(isWrong: false), .wrong(.unavailable), .ask(isWrong: false)]),
            Row(steps: [.ask(isWrong: false), .right(.unavailable), .ask(isWrong: false)]),
            Row(steps: [.wrong(.invalidCredential), .wrong(.invalidCredential)]),
            Row(steps: [.right(nil), .ask(isWrong: false), .wrong(.unavailable)]),
        ])
    func table(row: Row) async throws {
        for step in row.steps {
            switch step {
            case .ask(let isWrong): #expect(try await settle(["k1"]) == (isWrong ? ["k1"] : []))
            case .right(let code): #expect(try await guess(Self.right, "k1") == code)
            case .wrong(let code): #expect(try await guess(Self.wrong, "k1") == code)
            }
        }
    }

    @Test("R-03: a guess that is void is not compared")
    func void() async throws {
        _ = try await settle(["1", "2"])
        let hashes = fixture.hashes
        #expect(try await guess(Self.right, "1") == .unavailable)
        #expect(try await guess(Self.wrong, "2", email: "nobody@example.org") == .unavailable)
        #expect(fixture.hashes == hashes)
    }

    @Test("R-03: each guess of a request gets its own outcome")
    func several() async throws {
        for charge in ["1", "2", "3"] { _ = try await guess(Self.wrong, charge) }
        _ = try await guess(Self.right, "4")
        #expect(try await settle(["4", "2", "5", "1"]) == ["2", "1"])
    }

    @Test("R-03: a wrong guess counts although the account does not exist any more")
    func noAccount() async throws {
        #expect(
            try await guess(Self.wrong, "1", email: "nobody@example.org") == .invalidCredential)
        #expect(try await settle(["1"]) == ["1"])
    }

    @Test("R-03: a right password of a suspended account does not count, and is not told if void")
    func suspended() async throws {
        try await fixture.change("UPDATE accounts SET status = 2")
        #expect(try await guess(Self.right, "1") == .accountDisabled)
        #expect(try await settle(["1"]).isEmpty)
        #expect(try await guess(Self.right, "1") == .unavailable)
    }

    @Test("R-03: a wrong guess that was compared counts although its caller cancelled")
    func cancelled() async throws {
        for number in 1...20 {
            let (charge, hashes) = ("\(number)", fixture.hashes)
            let call = Task { try await self.guess(Self.wrong, charge) }
            for _ in 0..<number * 3 { await Task.yield() }
            call.cancel()
            // An error if it was cancelled before it was compared.
            _ = try? await call.value
            let isCompared = fixture.hashes > hashes
            #expect(try await settle([charge]) == (isCompared ? [charge] : []), "\(number)")
        }
    }

    @Test("R-03: a guess that is answered as wrong while it is asked about counts")
    func atOnce() async throws {
        for number in 0..<SoakRounds.count(ordinarily: 60) {
            let charge = "\(number)"
            async let asked = settle([charge])
            async let wrong = guess(Self.wrong, charge)
            let (outcome, code) = try await (asked, wrong)
            #expect(code == (outcome.isEmpty ? .unavailable : .invalidCredential))
            #expect(try await settle([charge]) == outcome)
        }
    }

    @Test("R-03: outcomes survive a restart, and are purged after half an hour")
    func kept() async throws {
        _ = try await guess(Self.wrong, "1")
        _ = try await settle(["2"])
        fixture.store.close()
        let next = try IdentityFixture(folder: fixture.folder, time: fixture.time, seed: 2)
        #expect(try await settle(["1", "2"], in: next) == ["1"])
        #expect(try await guess(Self.right, "2", in: next) == .unavailable)
        next.time.advance(by: .seconds(1_799))
        try await next.purge()
        #expect(try await next.count("guesses") == 2)
        next.time.advance(by: .seconds(2))
        try await next.purge()
        #expect(try await next.count("guesses") == 0)
    }

    @Test("R-03: a sign-in whose charge is not settled later leaves no row")
    func noCharge() async throws {
        _ = try await guess(Self.wrong, "")
        _ = try await guess(Self.right, "1")
        #expect(try await fixture.count("guesses") == 0)
    }

    @Test(
        "R-03: invalid ids are refused",
        arguments: [[], ["no number"], [String](repeating: "1", count: 65)])
    func invalid(ids: [String]) async throws {
        await #expect(throws: ServiceError(.invalidArgument, fields: ["charge_ids"])) {
            try await settle(ids)
        }
        #expect(try await guess(Self.right, "no number") == .invalidArgument)
    }
}
