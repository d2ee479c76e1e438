import Contracts
import Cryptography
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("F-03: a second factor completes a sign-in", .timeLimit(.minutes(2)))
struct FactorSignInTests {
    private static func person() async throws -> (GatedPerson, PlantedFactor) {
        let person = try await GatedPerson(.standard)
        return (person, try await person.identity.plantFactor(in: person.account))
    }

    @Test(
        "each way to sign in asks for the factor and nothing else, and has the proofs of both then",
        arguments: SignInWay.allCases)
    func ways(way: SignInWay) async throws {
        for isRecovery in [false, true] {
            let (person, factor) = try await Self.person()
            let identity = person.identity
            let signIn = try await person.signIn(way)
            let before = try await person.state()
            let challenge = try await identity.challenge { try await signIn(nil) }
            #expect(challenge.kinds == ["totp_code", "recovery_code"])
            #expect(challenge.hints == ["", ""])
            #expect(try await person.state() == before)
            let answer = try await identity.complete(
                challenge,
                isRecovery
                    ? .recoveryCode(factor.recoveryCode(0))
                    : .totpCode(factor.code(at: identity.time.now())))
            let proof = try #require(answer.admission?.proof)
            #expect(proof.accountId == person.account && proof.purpose == .signIn)
            let second = isRecovery ? Authentication.recoveryCode.amr : Authentication.totp.amr
            #expect(proof.amr == way.amr + second.filter { !way.amr.contains($0) })
            #expect(Assurance(of: proof.amr) == .aal2)
            #expect(answer.recoveryCodesLeft == (isRecovery ? 9 : 0))
        }
    }

    /// Attack: somebody has the mailbox, the phone or the account at the provider too, and each would
    /// be a way past the factor.
    @Test("no other proof is accepted in its place", arguments: SignInWay.allCases)
    func others(way: SignInWay) async throws {
        let (person, factor) = try await Self.person()
        let identity = person.identity
        let challenge = try await person.begin(way)
        let others: [GatewayV1.CompleteSignInRequest.Proof] = [
            .password("Correct7Horse"), .providerToken(.token("g1", nonce: "second")),
            .emailCode("123456"), .phoneCode("123456"),
        ]
        for proof in others {
            _ = try await refusal { try await identity.complete(challenge, proof) }
        }
        for kind in [GatewayV1.ChallengeCodeKind.email, .phone] {
            _ = try await refusal { try await identity.sendCode(challenge, kind) }
        }
        // None of them was compared, so none counts.
        #expect(try await person.attempts() == 0)
        _ = try await identity.complete(
            challenge, .totpCode(factor.code(at: identity.time.now())))
    }

    @Test("A-06: a number that has changed is confirmed by the factor, which satisfies both")
    func changedNumber() async throws {
        let (person, factor) = try await Self.person()
        let identity = person.identity
        try await person.phones.change()
        let challenge = try await person.begin(.phone)
        #expect(challenge.kinds == ["totp_code", "recovery_code"])
        _ = try await identity.complete(
            challenge, .totpCode(factor.code(at: identity.time.now())))
        #expect(try await identity.audited("phone.number-confirmed") == 1)
    }

    @Test("wrong codes count; the sixth is not compared, and the owner is told")
    func wrong() async throws {
        let (person, factor) = try await Self.person()
        let identity = person.identity
        let challenge = try await person.begin(.password)
        let (now, failed) = (
            identity.time.now(), try await identity.audited("sign-in.failed")
        )
        let wrong: [GatewayV1.CompleteSignInRequest.Proof] = [
            .totpCode("12345"), .totpCode(factor.code(at: now + .seconds(60))),
            .recoveryCode("0000-0000-00000"), .recoveryCode(factor.code(at: now)),
            .totpCode(factor.recoveryCode(0)),
        ]
        for proof in wrong {
            let error = try await refusal { try await identity.complete(challenge, proof) }
            #expect(error.code == .invalidCode)
        }
        let full = try await refusal {
            try await identity.complete(challenge, .totpCode(factor.code(at: now)))
        }
        #expect(full.code == .invalidChallenge)
        #expect(try await identity.delivered("second-proof-failed") != nil)
        #expect(try await identity.audited("sign-in.failed") == failed + 5)
    }

    /// Attack: a code is seen while the owner types it, and is used at another door.
    @Test("a code is used up for sign-ins and step-ups together, and so is a recovery code")
    func onceForAll() async throws {
        let (person, factor) = try await Self.person()
        let identity = person.identity
        let code = factor.code(at: identity.time.now())
        let challenge = try await person.begin(.password)
        _ = try await identity.complete(challenge, .totpCode(code))
        let next = try await person.begin(.password)
        let again = try await refusal { try await identity.complete(next, .totpCode(code)) }
        #expect(again.code == .invalidCode)
        let stepUp = try await refusal {
            try await identity.prove(.totpCode(code), in: person.token)
        }
        #expect(stepUp.code == .invalidCode)
        try await identity.prove(.recoveryCode(factor.recoveryCode(1)), in: person.token)
        let recovery = try await refusal {
            try await identity.complete(next, .recoveryCode(factor.recoveryCode(1)))
        }
        #expect(recovery.code == .invalidCode)
        identity.time.advance(by: .seconds(30))
        _ = try await identity.complete(
            next, .totpCode(factor.code(at: identity.time.now())))
    }

    @Test(
        "of 64 completions at once of several challenges one is accepted",
        arguments: [true, false])
    func atOnce(isRecovery: Bool) async throws {
        let (person, factor) = try await Self.person()
        let identity = person.identity
        var challenges: [ServiceError.SecondProof] = []
        for _ in 0..<Int(ChallengeRule.liveMax) {
            challenges.append(try await person.begin(.password))
        }
        let proof: GatewayV1.CompleteSignInRequest.Proof =
            isRecovery
            ? .recoveryCode(factor.recoveryCode(0))
            : .totpCode(factor.code(at: identity.time.now()))
        let all = challenges
        let before = try await identity.audited("sign-in.succeeded")
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<64 {
                group.addTask {
                    do {
                        _ = try await identity.complete(all[number % all.count], proof)
                        return true
                    } catch let error as ServiceError {
                        #expect([.invalidCode, .invalidChallenge].contains(error.code))
                        return false
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 } == 1)
        #expect(try await identity.audited("sign-in.succeeded") == before + 1)
    }

    @Test("G-25: a repeat of the completion gets its answer, and uses nothing up")
    func repeated() async throws {
        let (person, factor) = try await Self.person()
        let identity = person.identity
        let challenge = try await person.begin(.password)
        let proof = GatewayV1.CompleteSignInRequest.Proof.recoveryCode(factor.recoveryCode(0))
        let first = try await identity.complete(challenge, proof, key: "k")
        identity.time.advance(by: .seconds(5))
        let again = try await identity.complete(challenge, proof, key: "k")
        #expect(again.admission?.proof?.authTimeMs == first.admission?.proof?.authTimeMs)
        #expect(again.recoveryCodesLeft == first.recoveryCodesLeft)
        let other = try await refusal {
            try await identity.complete(
                challenge, .recoveryCode(factor.recoveryCode(1)), key: "k")
        }
        #expect(other.code == .idempotencyKeyReused)
        #expect(try await identity.count("recovery_codes") == 9)
    }

    /// As a later build may have stored it.
    @Test("a factor of a kind that this build does not know is asked for, and nothing would do")
    func unknownKind() async throws {
        let (person, factor) = try await Self.person()
        let identity = person.identity
        try await identity.change("UPDATE second_factors SET kind = 'passkey'")
        let challenge = try await person.begin(.password)
        #expect(challenge.kinds == [])
        let error = try await refusal {
            try await identity.complete(
                challenge, .totpCode(factor.code(at: identity.time.now())))
        }
        #expect(error == ServiceError(.invalidArgument, fields: ["totp_code"]))
    }
}
