import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("F-01, F-03, G-13: a passkey as second proof and as recent proof", .timeLimit(.minutes(1)))
struct PasskeyProofTests {
    @Test("F-03: it answers the challenge of a sign-in by password, and is offered first")
    func completes() async throws {
        let person = try await PasskeyPerson()
        let added = try await person.add()
        _ = try await person.identity.plantFactor(in: person.account)
        let challenge = try await person.identity.challenge { try await person.identity.signIn() }
        #expect(challenge.kinds == ["passkey", "totp_code", "recovery_code"])
        let options = try await person.beginProof(challenge: challenge.challenge)
        #expect(options.allowCredentials.map(\.id) == [added.credentialId])
        let proof = try PasskeyPerson.assertion(
            TestCeremony(challenge: options.challenge), by: person.passkey)
        let answer = try await person.identity.complete(challenge, .passkey(proof), key: "k")
        let amr = ["pwd", "pop", "swk", "user", "mfa"]
        #expect(answer.admission?.proof?.amr == amr)
        let again = try await person.identity.complete(challenge, .passkey(proof), key: "k")
        #expect(again.admission?.proof?.amr == amr)
        let used = try await refusal {
            try await person.identity.complete(challenge, .passkey(proof))
        }
        #expect(used.code == .invalidChallenge)
    }

    @Test("F-03: it must be the account's, for this challenge; refused ones are not counted")
    func refused() async throws {
        let person = try await PasskeyPerson()
        try await person.add()
        _ = try await person.identity.plantFactor(in: person.account)
        let eve = person.identity.devices.open(
            try await person.identity.registerProved("eve@example.org").accountId)
        let hers = try TestPasskey(randomness: person.identity.randomness)
        try await person.add(hers, in: eve)
        let challenge = try await person.identity.challenge { try await person.identity.signIn() }
        func code(_ text: String, _ passkey: TestPasskey) async throws -> ErrorCode {
            let proof = try PasskeyPerson.assertion(TestCeremony(challenge: text), by: passkey)
            return try await refusal {
                try await person.identity.complete(challenge, .passkey(proof))
            }.code
        }
        for _ in 0..<6 {
            let own = try await person.beginProof(challenge: challenge.challenge).challenge
            #expect(try await code(own, hers) == .invalidPasskey)
        }
        let other = try await person.identity.challenge { try await person.identity.signIn() }
        let foreign = try await person.beginProof(challenge: other.challenge).challenge
        #expect(try await code(foreign, person.passkey) == .invalidPasskey)
        #expect(try await code(person.signInChallenge(), person.passkey) == .invalidPasskey)
        #expect(
            try await person.identity.count("sign_in_challenges", where: "attempts > 0") == 0)
    }

    @Test("X-02: which passkeys an account has, learns only who has its session or first proof")
    func names() async throws {
        let person = try await PasskeyPerson()
        try await person.add()
        _ = try await person.identity.plantFactor(in: person.account)
        let challenge = try await person.identity.challenge { try await person.identity.signIn() }
        for (text, device) in [
            ("AAAA", IdentityFixture.device), (challenge.challenge, IdentityFixture.otherDevice),
        ] {
            let error = try await refusal {
                try await person.beginProof(challenge: text, on: device)
            }
            #expect(error.code == .invalidChallenge)
        }
        let outside = try await refusal { try await person.beginProof() }
        #expect(outside.code == .invalidAccessToken)
    }

    @Test("G-13: it is a recent proof of aal2 in its session alone")
    func proves() async throws {
        let person = try await PasskeyPerson()
        try await person.add()
        let ceremony = TestCeremony(
            challenge: try await person.beginProof(in: person.token).challenge)
        let other = person.identity.devices.open(person.account)
        let elsewhere = try await refusal { try await person.prove(ceremony, in: other) }
        #expect(elsewhere.code == .invalidPasskey)
        let proof = try #require(try await person.prove(ceremony, key: "k").proof)
        #expect(proof.amr == Authentication.softwarePasskey.amr)
        #expect(proof.purpose == .reauthentication)
        let again = try #require(try await person.prove(ceremony, key: "k").proof)
        #expect(again.amr == proof.amr && again.authTimeMs == proof.authTimeMs)
        #expect(try await refusal { try await person.prove(ceremony) }.code == .invalidPasskey)
    }

    @Test("F-01: it raises what a change needs only where the operator requires a second factor")
    func raises() async throws {
        let person = try await PasskeyPerson()
        try await person.add()
        try await person.add(try TestPasskey(randomness: person.identity.randomness))
        let strict = try await PasskeyPerson(secondFactor: .required)
        try await strict.add()
        let error = try await refusal { try await strict.beginAdd() }
        #expect(error.code == .requiresRecentLogin)
        #expect(error.acceptableProofs == ["passkey", "recovery_code"])
        strict.identity.devices.proveAgain(
            strict.token, amr: Authentication.hardwarePasskey.amr)
        _ = try await strict.beginAdd()
    }

    @Test("F-03: where a second factor is required, a passkey is one, and a password asks for it")
    func required() async throws {
        let person = try await PasskeyPerson(secondFactor: .required)
        let before = try await person.identity.signIn()
        #expect(before.requiredActions.contains(.setUpSecondFactor))
        try await person.add()
        let challenge = try await person.identity.challenge { try await person.identity.signIn() }
        #expect(challenge.kinds == ["passkey", "recovery_code"])
        #expect(try await person.signIn().requiredActions.isEmpty)
    }
}
