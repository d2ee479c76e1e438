import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService
@testable import RateLimitService

/// What a thief of the first proof gets from the limiter's rules by the gateway's own charges, however
/// the guesses are spread. The sign-ins themselves are not charged here, so the thief has more than the
/// flows allow (`PasswordThiefTests`).
@Suite("F-03, R-02: guesses at authenticator apps, spread over a month", .timeLimit(.minutes(2)))
struct SpreadGuessesTests {
    private static let month: Duration = .seconds(30 * 86_400)
    /// For the last hundred, five at a time.
    private static let burst: Duration = .seconds(20 * 900)
    private static let addresses = 10_000

    /// How long the thief waits between guesses.
    private static let waits: [Duration] = [
        // Each address once.
        .milliseconds(30 * 86_400_000 / addresses), .seconds(900), .seconds(3_600),
        .seconds(12 * 3_600), .seconds(86_400), .seconds(86_400 + 901), .seconds(20 * 86_400),
    ]
    /// How many guesses are made at a time.
    private static let guesses = 1...6

    let fixture: GatewayFixture

    init() async throws { fixture = try await GatewayFixture() }

    private var limits: LimitsHandler { fixture.inner.limits }

    /// Decides as the limiter does, and does not wait for the disk.
    private func isAllowed(
        _ action: LimitedAction, by operation: BatchOperation = .consume, from address: String
    ) throws -> Bool {
        let now = fixture.time.now()
        let verdict = try limits.planAndDecide(
            RequestedCharge.read(action.charges), namedBy: .site(address), at: now
        ) { limits.apply(operation, $0, at: now) }.verdict
        return try #require(verdict).isLimited == false
    }

    /// A guess, charged as `CompleteSignIn` does.
    private func isCompared(_ number: Int, at account: String) throws -> Bool {
        let address = "10.1.\(number / 250).\(number % 250)"
        guard try isAllowed(.secondProof(caller: .address(address)), from: address) else {
            return false
        }
        return try isAllowed(
            .totpGuess(account: account, after: .password, device: "thief-\(number)"),
            from: address)
    }

    /// The owner gives a right code on a known device.
    private func owner(of account: String, _ reason: Comment) throws {
        let action = LimitedAction.totpGuess(account: account, after: .password, device: "phone")
        #expect(try isAllowed(action, by: .peek, from: "192.0.2.1"), reason)
        _ = try limits.succeed(
            RateLimitV1.SucceedRequest(charges: action.charges), fixture.context())
    }

    /// - Returns: how many codes are compared in a month at this pace.
    private func compared(
        _ guesses: Int, each wait: Duration, at account: String
    ) throws -> Int {
        let end = fixture.time.now() + Self.month
        var (compared, visits) = (0, 0)
        var ownersNext = fixture.time.now()
        while fixture.time.now() < end {
            let now = fixture.time.now()
            if now >= ownersNext {
                try owner(of: account, "\(guesses) each \(wait)")
                ownersNext = now + .seconds(86_400)
            }
            let untilBurst = end - now - Self.burst
            let isBurst = untilBurst <= .zero
            for _ in 0..<(isBurst ? 5 : guesses) {
                guard try isCompared(visits % Self.addresses, at: account) else { break }
                compared += 1
            }
            visits += 1
            fixture.time.advance(by: isBurst ? .seconds(900) : min(wait, untilBurst))
        }
        return compared
    }

    @Test("however they are spread, at most 220 are compared; a hundred always are")
    func paces() throws {
        var (most, accounts) = (0, Int64(0))
        for wait in Self.waits {
            for guesses in Self.guesses {
                accounts += 1
                let account = try #require(AccountID(key: accounts)).text
                let count = try compared(guesses, each: wait, at: account)
                #expect((100...220).contains(count), "\(guesses) each \(wait): \(count)")
                most = max(most, count)
            }
        }
        #expect(most == 216, "four a day are forgotten, and a hundred are left")
    }

    @Test("another first proof has guesses of its own, and the owner's success gives none back")
    func lanes() throws {
        let account = try #require(AccountID(key: 1)).text
        try owner(of: account, "at first")
        for number in 0..<5 { #expect(try isCompared(number, at: account)) }
        #expect(try !isCompared(5, at: account))
        try owner(of: account, "the thief's guesses are not the owner's")
        #expect(try !isCompared(6, at: account))
        for lane in TOTPLane.allCases where lane != .password {
            let action = LimitedAction.totpGuess(account: account, after: lane, device: "new")
            #expect(try isAllowed(action, from: "192.0.2.9"), "\(lane)")
        }
    }
}
