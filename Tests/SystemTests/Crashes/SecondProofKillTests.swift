import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.Crashes {
    /// Rounds in each of which identity is killed at a random moment of each step of a person's
    /// second factor: two, or as many as `POSTERN_SOAK_ROUNDS` says. `POSTERN_SOAK_SEED` repeats
    /// the moments, but not the machine's own timing.
    struct SecondProofKills {
        private static let rounds = SoakRounds.count(ordinarily: 2)
        private static let seed = SoakRounds.seed ?? 7
        /// Rounds of one cluster: those of a long run do not fit into the time of one test.
        private static let batchRounds = 20
        private static let batches = (rounds + batchRounds - 1) / batchRounds

        @Test(
            "F-03: killed in any step of a second factor, there is one factor, and one session each",
            arguments: 0..<batches)
        func steps(batch: Int) async throws {
            try await StoryFixture.with(limits: StoryFixture.generousLimits) { fixture in
                let usual = try await Victim(Person(51_500), fixture).run { _, act in
                    let begun = ContinuousClock.now
                    try await act()
                    return ContinuousClock.now - begun
                }
                let first = batch * Self.batchRounds
                for round in first..<min(first + Self.batchRounds, Self.rounds) {
                    let randomness = SeededRandomness(seed: Self.seed &+ UInt64(round))
                    let victim = Victim(Person(51_501 + round), fixture)
                    _ = try await victim.run { step, act in
                        let kill = Kill(
                            victim: "identity", person: victim.person,
                            part: Double(randomness.next() % 120) / 100,
                            place: "\(step) in round \(round), seed \(Self.seed)")
                        // An answer that is lost is asked for again.
                        let time = usual[step] ?? .zero
                        _ = try await kill.outcome(time, fixture.cluster, act)
                        return time
                    }
                }
            }
        }
    }

    /// The calls of a person who sets a second factor up and signs in by it.
    private enum FactorStep {
        case confirm, signIn, completeByApp, signInAgain, completeByRecoveryCode
    }

    /// A person whose app makes each call under a key, while identity may be killed.
    private struct Victim: Sendable {
        /// A call. What it answers is kept elsewhere.
        typealias Act = @Sendable () async throws -> Void
        /// Makes the call of a step, which may not be answered.
        /// - Returns: how long it took.
        typealias Make = (FactorStep, _ act: @escaping Act) async throws -> Duration

        let person: Person
        let fixture: StoryFixture

        init(_ person: Person, _ fixture: StoryFixture) {
            self.person = person
            self.fixture = fixture
        }

        /// Goes through all steps.
        /// - Returns: how long each took.
        func run(_ make: Make) async throws -> [FactorStep: Duration] {
            var took: [FactorStep: Duration] = [:]
            let signedUp = try await retried { try await fixture.signUp(person) }
            let own = SignedInApp(fixture, person, signedUp.session)
            let (app, codes) = try await setUp(own) {
                took[.confirm] = try await make(.confirm, $0)
            }
            for isByApp in [true, false] {
                let first = isByApp ? FactorStep.signIn : .signInAgain
                let asked = try await answer("\(first)", challenge) {
                    took[first] = try await make(first, $0)
                }
                let proof: GatewayV1.CompleteSignInRequest.Proof =
                    isByApp
                    ? .totpCode(try await app.code())
                    : .recoveryCode(.init(text: codes.first ?? ""))
                let second = isByApp ? FactorStep.completeByApp : .completeByRecoveryCode
                let complete: @Sendable (String) async throws -> String? = { key in
                    try await fixture.complete(asked, proof, of: person, key: key)
                        .session?.sessionId
                }
                let session = try await answer("\(second)", complete) {
                    took[second] = try await make(second, $0)
                }
                let sessions = try await retried {
                    try await fixture.sessions(own.session, of: person)
                }
                #expect(sessions.count == (isByApp ? 2 : 3), "\(person.email), \(second)")
                #expect(sessions.contains { $0.sessionId == session })
            }
            return took
        }

        /// Adds an app by a call that may be cut off.
        private func setUp(
            _ own: SignedInApp, by make: (@escaping Act) async throws -> Void
        ) async throws -> (app: OwnersApp, codes: [String]) {
            let factors = fixture.backend.factors
            let begun = try await retried {
                try await factors.beginTOTP(.init(), own.context())
            }
            let app = try OwnersApp(secret: begun.secret)
            let code = try await app.code()
            let confirm: @Sendable (String) async throws -> String? = { key in
                try await factors.confirmTOTP(
                    .init(
                        enrollmentToken: begun.enrollmentToken, code: code, name: "phone",
                        device: person.gatewayDevice), own.context(key: key)
                ).factor?.factorId
            }
            let added = try await answer("confirm", confirm, by: make)
            let listed = try await retried {
                try await factors.listSecondFactors(.init(), own.context())
            }
            #expect(listed.factors.map(\.factorId) == [added ?? ""], "\(person.email)")
            #expect(listed.recoveryCodesLeft == 10, "\(person.email)")
            // Those of the first answer may be lost with it.
            let codes = try await retried {
                try await factors.regenerateRecoveryCodes(
                    .init(device: person.gatewayDevice), own.context())
            }
            return (app, codes.recoveryCodes)
        }

        /// The challenge of a sign-in.
        @Sendable private func challenge(key: String) async throws -> ServiceError.SecondProof {
            do {
                _ = try await fixture.backend.auth.signInWithPassword(
                    person.signIn, fixture.backend.context(person, key: key))
            } catch let error as ServiceError where error.code == .secondProofRequired {
                if let challenge = error.secondProof { return challenge }
            }
            throw ClusterError(message: "no second proof is asked for")
        }

        private func answer<Value: Equatable & Sendable>(
            _ step: String, _ call: @escaping @Sendable (_ key: String) async throws -> Value,
            by make: (@escaping Act) async throws -> Void
        ) async throws -> Value {
            try await SystemTests.Crashes.KeyedCall(key: "\(step) of \(person.email)", call: call)
                .answer(by: make)
        }
    }
}

extension Person {
    /// A sign-in with the person's password on the person's device.
    fileprivate var signIn: GatewayV1.SignInWithPasswordRequest {
        .init(email: email, password: .init(text: Self.password), device: gatewayDevice)
    }
}
