import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

/// Guesses at the codes of an authenticator app, by somebody with the right password. Each try is from
/// an address and a device of its own.
private struct Thief {
    let fixture: GatewayFixture
    /// Of the owner's app, so that no guess is right by chance.
    let secret: SecretBytes
    /// The addresses used so far.
    private(set) var addresses = 0
    /// The codes that were compared so far.
    private(set) var compared = 0

    init(_ fixture: GatewayFixture, secret: SecretBytes) {
        self.fixture = fixture
        self.secret = secret
    }

    /// A code that the app does not show now.
    private var wrong: SecretBytes {
        let step = TOTP.step(at: fixture.time.now())
        let right = (step - 1...step + 1).map { TOTP.code(of: secret, at: $0) }
        let codes = (0...UInt8(right.count)).map { [UInt8](repeating: 48 + $0, count: TOTP.digits) }
        return SecretBytes(copying: codes.first { !right.contains($0) } ?? [])
    }

    /// Signs in, and guesses until it is refused.
    /// - Returns: how many codes were compared.
    @discardableResult
    mutating func attack(
        password: SecretBytes = "Correct7Horse", atMost most: Int = 5
    ) async throws -> Int {
        let device = "thief-\(addresses)"
        let context = fixture.context(address: "10.1.\(addresses / 250).\(addresses % 250)")
        addresses += 1
        let first = try await refusal {
            try await fixture.auth.signInWithPassword(
                .init(
                    email: "ada@example.org", password: password,
                    device: GatewayFixture.device(device)), context)
        }
        guard let challenge = first.secondProof else {
            #expect([.tooManyRequests, .invalidCredential].contains(first.code))
            return 0
        }
        #expect(challenge.kinds == ["totp_code", "recovery_code"])
        var count = 0
        while count < most {
            let error = try await refusal {
                try await fixture.completeSignIn(
                    challenge, .totpCode(wrong), device: device, in: context)
            }
            guard error.code == .invalidCode else {
                #expect(error.code == .tooManyRequests)
                break
            }
            count += 1
        }
        compared += count
        return count
    }
}

/// The whole of gateway, identity and limiter, for 30 days of fake time.
///
/// The best that a thief can do is slow: four guesses are forgotten after a day and the wait, and in
/// the end a hundred are allowed in a row (`Lockout`). Three codes are valid at a time, so 220 guesses
/// are right by a chance below 1 in 1,500.
@Suite("F-03, R-02: a thief of the password and 10,000 addresses", .timeLimit(.minutes(5)))
struct PasswordThiefTests {
    private static let month: Duration = .seconds(30 * 86_400)
    private static let wait: Duration = .seconds(900)
    /// What four guesses need to be forgotten.
    private static let quiet: Duration = .seconds(86_401) + wait
    private static let quietDays = 29
    private static let addresses = 10_000
    private static let guessesMax = 220

    let fixture: GatewayFixture
    /// Of the owner's app.
    let secret: SecretBytes
    let recoveryCodes: [String]

    /// Ada has a verified address, and an authenticator app that was set up on the device "d1".
    init() async throws {
        fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        let token = ada.session.accessToken
        _ = try await fixture.verify(try await fixture.inner.linkToken(), accessToken: token)
        let inside = fixture.context().bearing(token)
        let begun = try await fixture.secondFactors.beginTOTP(.init(), inside)
        secret = SecretBytes(copying: try #require(Base32.decodeLeniently(begun.secret)))
        let now = TOTP.step(at: fixture.time.now())
        let confirmed = try await fixture.secondFactors.confirmTOTP(
            .init(
                enrollmentToken: begun.enrollmentToken,
                code: SecretBytes(copying: TOTP.code(of: secret, at: now)), name: "phone",
                device: GatewayFixture.device("d1")), inside)
        recoveryCodes = confirmed.recoveryCodes
        fixture.time.advance(by: .seconds(60))
    }

    /// What the owner's app shows now.
    private var code: SecretBytes {
        SecretBytes(copying: TOTP.code(of: secret, at: TOTP.step(at: fixture.time.now())))
    }

    /// The owner signs in on a device, by the app unless another proof is given.
    private func signsIn(
        by proof: GatewayV1.CompleteSignInRequest.Proof? = nil,
        password: SecretBytes = "Correct7Horse", device: String = "d1",
        _ reason: Comment
    ) async throws {
        let first = try await refusal {
            try await fixture.auth.signInWithPassword(
                .init(
                    email: "ada@example.org", password: password,
                    device: GatewayFixture.device(device)), fixture.context())
        }
        let challenge = try #require(first.secondProof, reason)
        let answer = try await fixture.completeSignIn(
            challenge, proof ?? .totpCode(code), device: device)
        #expect(answer.session != nil, reason)
        // What was mailed meanwhile is delivered, as each day.
        try await fixture.inner.settle()
    }

    /// Codes that identity has compared, by its own records.
    private func recorded() async throws -> Int64 {
        try await fixture.inner.count(
            fixture.inner.identityStore, "audit",
            where: "kind = 'sign-in.failed' AND outcome = '\(ErrorCode.invalidCode.rawValue)'")
    }

    @Test("at most 220 codes are compared, and the owner signs in throughout, and after a reset")
    func month() async throws {
        let end = fixture.time.now() + Self.month
        var thief = Thief(fixture, secret: secret)
        for day in 0..<Self.quietDays {
            try await thief.attack(atMost: 4)
            #expect(thief.compared == 4 * (day + 1), "day \(day)")
            // Each third time the phone is not at hand.
            let isRecovery = day % 3 == 2
            try await signsIn(
                by: isRecovery ? .recoveryCode(SecretBytes(recoveryCodes[day / 3])) : nil,
                "day \(day)")
            fixture.time.advance(by: Self.quiet)
        }
        for round in 0..<20 {
            let first = try await thief.attack()
            let others = try await thief.attack()
            #expect(first == 5 && others == 0, "round \(round)")
            // Of a hundred warnings at once some would be due later.
            if round % 5 == 4 { try await fixture.inner.settle() }
            fixture.time.advance(by: Self.wait)
        }
        #expect(thief.compared == 4 * Self.quietDays + 100)
        try await signsIn("after a hundred in a row")
        // All other addresses, until the month is over.
        let left = Self.addresses - thief.addresses
        let pace = (end - fixture.time.now()).milliseconds / Int64(left)
        for _ in 0..<left {
            try await thief.attack()
            fixture.time.advance(by: .milliseconds(pace))
        }
        #expect(thief.addresses == Self.addresses)
        #expect(thief.compared <= Self.guessesMax)
        #expect(try await recorded() == Int64(thief.compared))
        try await signsIn("after a month")
        try await signsIn(by: .recoveryCode(SecretBytes(recoveryCodes[9])), "after a month")
        try await resets(&thief)
    }

    /// The owner resets the password on a new device, which ends the attack.
    private func resets(_ thief: inout Thief) async throws {
        func context() -> CallContext { fixture.context(address: "203.0.113.5") }
        _ = try await fixture.passwords.requestPasswordReset(
            .init(email: "ada@example.org"), context())
        let token = try await fixture.inner.linkToken(page: "reset-password")
        let first = try await refusal {
            try await fixture.passwords.resetPassword(
                .init(
                    token: token, password: "Owners9Password",
                    device: GatewayFixture.device("new")), context())
        }
        let challenge = try #require(first.secondProof)
        fixture.time.advance(by: .seconds(60))
        let answer = try await fixture.completeSignIn(
            challenge, .totpCode(code), device: "new", in: context())
        #expect(answer.session != nil, "the thief cannot fill the lane of this first proof")
        let compared = thief.compared
        for _ in 0..<10 {
            fixture.time.advance(by: Self.wait)
            try await thief.attack()
        }
        #expect(thief.compared == compared, "the password is another one")
        #expect(try await recorded() == Int64(compared))
        fixture.time.advance(by: Self.wait)
        try await signsIn(password: "Owners9Password", device: "tablet", "all lanes are open again")
    }
}
