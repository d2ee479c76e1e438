import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("R-02, F-03: guesses at second proofs", .timeLimit(.minutes(1)))
struct WrongSecondProofTests {
    @Test("five wrong proofs of any kind end a challenge, and the owner gets one mail")
    func five() async throws {
        let person = try await GatedPerson()
        let identity = person.identity
        let challenge = try await person.begin(.phone)
        let code = try await identity.mailedCode(challenge)
        let wrong = code == "000000" ? "000001" : "000000"
        let failed = try await identity.audited("sign-in.failed")
        let guesses: [(GatewayV1.CompleteSignInRequest.Proof, ErrorCode)] = [
            (.password("Wrong7Horse"), .invalidCredential), (.password(""), .invalidCredential),
            (.providerToken(.token("g9", nonce: "x")), .methodNotLinked),
            (.providerToken(.init(provider: "google", idToken: "x")), .invalidProviderToken),
            (.emailCode(.init(text: wrong)), .invalidCode),
        ]
        for (number, (proof, code)) in guesses.enumerated() {
            #expect(try await person.attempts() == Int64(number))
            let error = try await refusal { try await identity.complete(challenge, proof) }
            #expect(error.code == code)
        }
        #expect(try await identity.audited("sign-in.failed") == failed + 5)
        for proof in [.password("Correct7Horse"), .emailCode(.init(text: code))]
            as [GatewayV1.CompleteSignInRequest.Proof]
        {
            let error = try await refusal { try await identity.complete(challenge, proof) }
            #expect(error.code == .invalidChallenge)
        }
        try await identity.relay()
        #expect(identity.templates.count { $0 == "second-proof-failed" } == 1)
        #expect(try await person.attempts() == 5)
    }

    @Test("what was not compared is not counted", arguments: [true, false])
    func notCompared(isSent: Bool) async throws {
        let person = try await GatedPerson()
        let challenge = try await person.begin(.password)
        var code = "123456"
        if isSent {
            code = try await person.identity.mailedCode(challenge)
            person.identity.time.advance(by: ChallengeRule.codeLife)
        }
        let text = code
        for _ in 0..<10 {
            let error = try await refusal {
                try await person.identity.complete(challenge, .emailCode(.init(text: text)))
            }
            #expect(error.code == (isSent ? .codeExpired : .invalidCode))
            if !isSent { #expect(error.fields == ["request_id"]) }
        }
        #expect(try await person.attempts() == 0)
        // A code that was mailed is none for the phone.
        let other = try await refusal {
            try await person.identity.complete(challenge, .phoneCode(.init(text: text)))
        }
        #expect(other.code == .invalidCode && other.fields == ["request_id"])
    }

    @Test("of 50 parallel wrong proofs five are counted")
    func parallel() async throws {
        let person = try await GatedPerson()
        let identity = person.identity
        let challenge = try await person.begin(.phone)
        let codes = await withTaskGroup(of: ErrorCode?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    do {
                        _ = try await identity.complete(challenge, .password("Wrong7Horse"))
                        return nil
                    } catch {
                        return (error as? ServiceError)?.code ?? .internalError
                    }
                }
            }
            return await group.reduce(into: [ErrorCode?]()) { $0.append($1) }
        }
        #expect(codes.count { $0 == .invalidCredential } == 5)
        #expect(codes.count { $0 == .invalidChallenge } == 45)
        #expect(try await person.attempts() == 5)
    }

    @Test("a token of the first proof's own provider is none, nor one whose nonce was used")
    func tokens() async throws {
        let person = try await GatedPerson()
        let identity = person.identity
        _ = try await identity.link(
            .token("a1", by: "apple"), in: identity.devices.open(person.account))
        let challenge = try await person.begin(.knownProvider)
        #expect(challenge.kinds.contains("provider_token"))
        let tokens: [(GatewayV1.ProviderToken, ErrorCode?)] = [
            (.token("g1", nonce: "a"), .methodNotLinked),
            (.token("a1", by: "apple", nonce: "n1"), .invalidNonce),
            (.token("a1", by: "apple", nonce: "b"), nil),
        ]
        for (token, code) in tokens {
            guard let code else {
                _ = try await identity.complete(challenge, .providerToken(token))
                continue
            }
            let error = try await refusal {
                try await identity.complete(challenge, .providerToken(token))
            }
            #expect(error.code == code)
        }
    }

    @Test("a kind that is not accepted is rejected, and none that no account has")
    func notAccepted() async throws {
        let person = try await GatedPerson()
        let challenge = try await person.begin(.password)
        let rows: [(GatewayV1.CompleteSignInRequest.Proof, String)] = [
            (.password("Correct7Horse"), "password"), (.totpCode("123456"), "totp_code"),
            (.recoveryCode("x"), "recovery_code"),
        ]
        for (proof, field) in rows {
            let error = try await refusal { try await person.identity.complete(challenge, proof) }
            #expect(error == ServiceError(.invalidArgument, fields: [field]))
        }
        #expect(try await person.attempts() == 0)
    }

    /// Attack: passwords beyond the fifth get the same error, and their times would tell them apart.
    @Test("a right password for an ended challenge is not compared")
    func ended() async throws {
        let person = try await GatedPerson()
        let challenge = try await person.begin(.phone)
        person.identity.time.advance(by: ChallengeRule.life)
        let hashes = person.identity.hashes
        _ = try await refusal {
            try await person.identity.complete(challenge, .password("Correct7Horse"))
        }
        #expect(person.identity.hashes == hashes)
    }

    @Test("in another device's hands the challenge is as unknown")
    func otherDevice() async throws {
        let person = try await GatedPerson()
        let challenge = try await person.begin(.phone)
        let error = try await refusal {
            try await person.identity.complete(
                challenge, .password("Correct7Horse"), on: IdentityFixture.otherDevice)
        }
        #expect(error.code == .invalidChallenge)
        #expect(try await person.attempts() == 0)
    }
}
