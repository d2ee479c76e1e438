import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("F-03: every sign-in to an account passes the gate", .timeLimit(.minutes(1)))
struct SignInAdmissionTests {
    @Test("a sign-in that waits has done nothing", arguments: SignInWay.allCases)
    func waits(way: SignInWay) async throws {
        let person = try await GatedPerson()
        let signIn = try await person.signIn(way)
        let before = try await person.state()
        let error = try await refusal { try await signIn(nil) }
        #expect(error.code == .secondProofRequired)
        let challenge = try #require(error.secondProof)
        #expect(challenge.kinds == way.kinds.map(\.rawValue))
        #expect(challenge.hints.count == challenge.kinds.count)
        #expect(challenge.expiresAtMs == person.identity.time.now().milliseconds + 600_000)
        let alternatives: [SecondProofKind: String] = [.password: "password", .provider: "google"]
        #expect(error.alternatives == way.kinds.compactMap { alternatives[$0] })
        #expect(try await person.state() == before)
        #expect(try await person.identity.audited("sign-in.challenged") == 1)
        #expect(try await person.identity.count("sign_in_challenges") == 1)
    }

    @Test("the first proof is used up by a sign-in that waits", arguments: SignInWay.allCases)
    func usedUp(way: SignInWay) async throws {
        let person = try await GatedPerson()
        let signIn = try await person.signIn(way)
        _ = try await person.identity.challenge { try await signIn(nil) }
        let again = try await refusal { try await signIn(nil) }
        let expected: ErrorCode =
            switch way {
            case .password: .secondProofRequired
            case .resetLink: .invalidLink
            case .phone: .invalidCode
            case .knownProvider, .newProvider: .invalidNonce
            }
        #expect(again.code == expected)
    }

    @Test("G-25: a repeat gets the same challenge", arguments: SignInWay.allCases)
    func repeats(way: SignInWay) async throws {
        let person = try await GatedPerson()
        let signIn = try await person.signIn(way)
        let first = try await person.identity.challenge { try await signIn("k") }
        person.identity.time.advance(by: .seconds(5))
        #expect(try await person.identity.challenge { try await signIn("k") } == first)
        #expect(try await person.identity.audited("sign-in.challenged") == 1)
        #expect(try await person.identity.count("sign_in_challenges") == 1)
        // Also once it is completed, so that the app can repeat either call.
        _ = try await person.identity.complete(
            first, try await person.proof(way.kinds[1], of: first))
        if way != .resetLink {
            #expect(try await person.identity.challenge { try await signIn("k") } == first)
        }
    }

    @Test("with a factor on no other kind is accepted", arguments: SignInWay.allCases)
    func enrolled(way: SignInWay) async throws {
        let person = try await GatedPerson(.with(SwitchedFactors()))
        let signIn = try await person.signIn(way)
        let error = try await refusal { try await signIn(nil) }
        #expect(error.code == .secondProofRequired && error.alternatives == [])
        #expect(error.secondProof?.kinds == [] && error.secondProof?.hints == [])
    }

    @Test(
        "without a demand one proof signs in, and says what it is for",
        arguments: SignInWay.allCases)
    func admitted(way: SignInWay) async throws {
        let person = try await GatedPerson(.with(SwitchedFactors(false)))
        let signIn = try await person.signIn(way)
        let proof = try #require(try await signIn(nil))
        #expect(proof.accountId == person.account && proof.amr == way.amr)
        #expect(proof.purpose == .signIn)
        #expect(try await person.identity.count("sign_in_challenges") == 0)
    }

    /// Attack: an answer of before the factor opens a session after it.
    @Test("a repeat of a sign-in from before a factor is refused", arguments: SignInWay.allCases)
    func repeatedLater(way: SignInWay) async throws {
        let factors = SwitchedFactors(false)
        let person = try await GatedPerson(.with(factors))
        let signIn = try await person.signIn(way)
        #expect(try await signIn("k") != nil)
        factors.turn(on: true)
        let error = try await refusal { try await signIn("k") }
        #expect(error.code == .idempotencyKeyReused)
    }

    @Test("a sign-up, a guest and its upgrade leave no factor behind, nor does a takeover")
    func unjudged() async throws {
        let fixture = try IdentityFixture(gate: .with(SwitchedFactors()))
        #expect(try await fixture.register().proof?.purpose == .signIn)
        let guest = try await fixture.guest()
        let upgraded = try await fixture.signIn(
            by: .token("g2", nonce: "n1"), guest: guest.token)
        #expect(upgraded.isUpgraded && upgraded.proof?.purpose == .signIn)
        // The address is not verified.
        let taken = try await fixture.signIn(
            by: .token("g3", email: "ada@example.org", nonce: "n2"))
        #expect(taken.removedMethods == ["password"] && taken.proof?.purpose == .signIn)
        _ = try await fixture.register("eve@example.org")
        let reset = try await fixture.reset(try await fixture.resetToken("eve@example.org"))
        #expect(reset.proof?.purpose == .signIn)
        // By now it is.
        let second = try await refusal {
            try await fixture.reset(try await fixture.resetToken("eve@example.org"))
        }
        #expect(second.code == .secondProofRequired)
    }

    @Test("a wrong first proof learns nothing of the second", arguments: [true, false])
    func wrong(hasFactor: Bool) async throws {
        let person = try await GatedPerson(.with(SwitchedFactors(hasFactor)))
        let error = try await refusal {
            try await person.identity.signIn(password: "Wrong7Horse")
        }
        #expect(error == ServiceError(.invalidCredential))
        #expect(try await person.identity.count("sign_in_challenges") == 0)
    }

    @Test("a challenge says to the gateway alone what its proofs are charged to")
    func charged() async throws {
        let person = try await GatedPerson()
        let handler = person.identity.secondProofs
        var context = person.identity.context()
        context.metadata[Metadata.Key.charge] = "1k"
        let challenge = try await person.identity.challenge {
            try await person.identity.accounts.verifyPassword(
                .init(
                    signIn: .init(
                        email: "ada@example.org", password: "Correct7Horse",
                        device: IdentityFixture.device)), context)
        }
        let request = IdentityV1.GetChallengeRequest(
            challenge: challenge.challenge, deviceId: IdentityFixture.device.deviceId)
        let answer = try await handler.getChallenge(request, person.identity.context())
        #expect(
            answer
                == .init(
                    accountId: person.account, email: "ada@example.org",
                    phoneNumber: PhoneCodeFixture.number, method: "password", chargeId: "1k"))
        let other = try await refusal {
            try await handler.getChallenge(
                request, person.identity.context(application: "session"))
        }
        #expect(other.code == .permissionDenied)
        let reset = try await person.begin(.resetLink)
        let ofReset = try await handler.getChallenge(
            .init(
                challenge: reset.challenge, deviceId: IdentityFixture.device.deviceId),
            person.identity.context())
        #expect(ofReset.isReset && ofReset.chargeId.isEmpty)
    }

    /// Attack: a thief of the password begins one sign-in after another, so that the owner's
    /// challenge ends before it is answered.
    @Test("of more than five challenges those from unknown devices end first")
    func several() async throws {
        let person = try await GatedPerson()
        let identity = person.identity
        let own = try await person.begin(.password)
        var others: [ServiceError.SecondProof] = []
        for number in 0..<6 {
            identity.time.advance(by: .seconds(1))
            others.append(
                try await identity.challenge {
                    try await identity.accounts.verifyPassword(
                        .init(
                            signIn: .init(
                                email: "ada@example.org", password: "Correct7Horse",
                                device: .init(deviceId: "thief-\(number)", platform: "cli"))),
                        identity.context())
                })
        }
        #expect(try await identity.count("sign_in_challenges") == ChallengeRule.liveMax)
        for (number, challenge) in others.enumerated() {
            let device = GatewayV1.Device(deviceId: "thief-\(number)", platform: "cli")
            let error = try await refusal {
                try await identity.complete(challenge, .emailCode("123456"), on: device)
            }
            #expect(error.code == (number < 2 ? .invalidChallenge : .invalidCode))
        }
        _ = try await identity.complete(own, try await person.proof(.email, of: own))
    }
}
