import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("R-03: a guess from a known device that got no answer", .timeLimit(.minutes(2)))
struct LostGuessTests {
    private static let right = "Correct7Horse"
    private static let wrong = "Wrong7Horse"
    private static let verify = AccountsDescription.verifyPassword.name

    /// What happened to a guess.
    enum Fate: CaseIterable, Sendable {
        /// The gateway was killed, or the network was cut, before the guess was compared.
        case requestLost
        /// The same after the comparison. The error of a wrong password arrives: the rate limiter
        /// learns as little of it as of a lost one.
        case answerLost
    }

    let fixture: GatewayFixture

    init() async throws {
        fixture = try await GatewayFixture()
        _ = try await fixture.signUp()
    }

    private func signIn(
        _ password: String, _ gateway: RepeatFixture
    ) async throws -> GatewayV1.SignInWithPasswordResponse {
        try await gateway.auth.signInWithPassword(
            .init(
                email: "ada@example.org", password: .init(text: password),
                device: GatewayFixture.device("d1")), fixture.context())
    }

    /// One guess by a gateway of its own, which loses it.
    private func lose(_ password: String, _ fate: Fate) async throws -> ErrorCode {
        let cut = InnerWire.Cut(method: Self.verify, call: 1, doesIt: fate == .answerLost)
        let gateway = try RepeatFixture(fixture, cut: cut)
        return try await refusal { try await signIn(password, gateway) }.code
    }

    private func lose(_ number: Int, _ password: String, _ fate: Fate) async throws {
        let isTold = fate == .answerLost && password == Self.wrong
        for _ in 0..<number {
            let code = try await lose(password, fate)
            #expect(code == (isTold ? .invalidCredential : .unavailable))
        }
        fixture.time.advance(by: .milliseconds(500))
    }

    @Test("R-03: after 5, 20 and 50 right passwords the owner is in", arguments: Fate.allCases)
    func right(fate: Fate) async throws {
        for count in [5, 20, 50] {
            for number in 1...count {
                let code = try await lose(Self.right, fate)
                #expect(code == .unavailable || number > 5 && code == .tooManyRequests)
            }
            fixture.time.advance(by: .milliseconds(500))
            _ = try await signIn(Self.right, try RepeatFixture(fixture))
        }
    }

    @Test("R-03: wrong passwords that were not compared do not count")
    func notCompared() async throws {
        try await lose(5, Self.wrong, .requestLost)
        _ = try await signIn(Self.right, try RepeatFixture(fixture))
    }

    @Test("R-03: exactly the wrong passwords that were compared count", arguments: 0...5)
    func compared(wrong: Int) async throws {
        try await lose(wrong, Self.wrong, .answerLost)
        try await lose(5 - wrong, Self.right, .answerLost)
        let gateway = try RepeatFixture(fixture)
        for _ in wrong..<5 {
            let error = try await refusal { try await signIn(Self.wrong, gateway) }
            #expect(error.code == .invalidCredential)
        }
        fixture.time.advance(by: .milliseconds(500))
        let refused = try await refusal { try await signIn(Self.right, gateway) }
        #expect(refused.code == .tooManyRequests)
        #expect(refused.retryAfter ?? .zero > .seconds(890))
        fixture.time.advance(by: .seconds(900))
        _ = try await signIn(Self.right, gateway)
    }

    @Test("R-03: while identity cannot be asked, the wait is a second")
    func unasked() async throws {
        try await lose(5, Self.right, .answerLost)
        let gateway = try RepeatFixture(
            fixture,
            cut: .init(method: AccountsDescription.settleGuesses.name, call: 1, doesIt: true))
        let refused = try await refusal { try await signIn(Self.right, gateway) }
        #expect(refused.code == .tooManyRequests && refused.retryAfter == .seconds(1))
        _ = try await signIn(Self.right, gateway)
    }

    @Test("R-03: a lost answer to a charge settles nothing twice")
    func settlementLost() async throws {
        try await lose(5, Self.right, .answerLost)
        let consume = LimitsDescription.consume.name
        let gateway = try RepeatFixture(
            fixture, cut: .init(method: consume, call: 2, doesIt: true))
        let refused = try await refusal { try await signIn(Self.right, gateway) }
        #expect(refused.code == .unavailable)
        _ = try await signIn(Self.right, gateway)
    }

    @Test("R-03: in any 15 minutes at most 5 wrong passwords are compared, and an owner is let in")
    func random() async throws {
        for seed in 0..<UInt64(SoakRounds.count(ordinarily: 4)) {
            let randomness = SeededRandomness(seed: 100 + seed)
            var compared: [Timestamp] = []
            for _ in 0..<150 {
                fixture.time.advance(by: .milliseconds(Int64(randomness.next() % 60_000)))
                let now = fixture.time.now()
                compared.removeAll { now - $0 >= .seconds(900) }
                switch randomness.next() % 4 {
                case 0: _ = try await lose(Self.wrong, .requestLost)
                case 1:
                    let code = try await lose(Self.wrong, .answerLost)
                    if code == .invalidCredential { compared.append(now) }
                case 2: _ = try await lose(Self.right, .answerLost)
                default:
                    let error = try await refusal {
                        try await signIn(Self.wrong, try RepeatFixture(fixture))
                    }
                    if error.code == .invalidCredential { compared.append(now) }
                }
                try #require(compared.count <= 5, "seed \(seed)")
                guard compared.count < 5, randomness.next() % 4 == 0 else { continue }
                fixture.time.advance(by: .milliseconds(500))
                _ = try await signIn(Self.right, try RepeatFixture(fixture))
            }
            fixture.time.advance(by: .seconds(900))
        }
    }

    @Test("R-03: a recent proof by the password is settled too")
    func reauthentication() async throws {
        let ada = try await fixture.signIn()
        try await lose(3, Self.right, .answerLost)
        for _ in 0..<2 {
            let prove = AccountsDescription.proveByPassword.name
            let gateway = try RepeatFixture(
                fixture, cut: .init(method: prove, call: 1, doesIt: true))
            _ = try await refusal { try await self.prove(ada, gateway) }
        }
        fixture.time.advance(by: .milliseconds(500))
        _ = try await prove(ada, try RepeatFixture(fixture))
    }

    private func prove(
        _ person: SignedIn, _ gateway: RepeatFixture
    ) async throws -> GatewayV1.ReauthenticateResponse {
        try await gateway.accountSessions.reauthenticate(
            .init(device: GatewayFixture.device("d1"), proof: .password("Correct7Horse")),
            fixture.context().bearing(person.session.accessToken))
    }
}
