import Contracts
import Cryptography
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("F-01: sign-in with a passkey", .timeLimit(.minutes(1)))
struct SignInWithPasskeyTests {
    @Test("F-01: the answer has the account and a proof of aal2; the options name no account")
    func signsIn() async throws {
        let person = try await PasskeyPerson()
        try await person.add()
        let answer = try await person.signIn()
        let proof = try #require(answer.proof)
        #expect(answer.account?.accountId == person.account && proof.accountId == person.account)
        #expect(proof.amr == ["pop", "swk", "user", "mfa"] && proof.purpose == .signIn)
        #expect(person.identity.keys.proofs.isGenuine(proof))
        #expect(Assurance(of: proof.amr) == .aal2 && !answer.isNewUser)
        var ceremony = TestCeremony(challenge: try await person.signInChallenge())
        ceremony.flags = 0x05
        let hardware = try await person.signIn(ceremony)
        #expect(hardware.proof?.amr == ["pop", "hwk", "user", "mfa"])
        #expect(try await person.identity.audited("passkey.backup-changed") == 1)
    }

    @Test("F-01: asking for a challenge writes nothing")
    func writesNothing() async throws {
        let person = try await PasskeyPerson()
        let before = try await person.identity.count("used_nonces")
        for _ in 0..<100 { _ = try await person.signInChallenge() }
        #expect(try await person.identity.count("used_nonces") == before)
    }

    @Test("F-01: a signature is accepted once, for its purpose, and the reason is in the log alone")
    func refused() async throws {
        let person = try await PasskeyPerson()
        try await person.add()
        func code(_ ceremony: TestCeremony) async throws -> ErrorCode {
            try await refusal { try await person.signIn(ceremony) }.code
        }
        let used = TestCeremony(challenge: try await person.signInChallenge())
        _ = try await person.signIn(used)
        #expect(try await code(used) == .invalidPasskey)
        let proof = try await person.beginProof(in: person.token).challenge
        #expect(try await code(TestCeremony(challenge: proof)) == .invalidPasskey)
        func changed(_ change: (inout TestCeremony) -> Void) async throws -> ErrorCode {
            var ceremony = TestCeremony(challenge: try await person.signInChallenge())
            change(&ceremony)
            return try await code(ceremony)
        }
        let foreign = try await changed { $0.origin = "https://example.org.evil.test" }
        let unverified = try await changed { $0.flags = 0x01 }
        #expect(foreign == .invalidPasskey && unverified == .invalidPasskey)
        #expect(
            try await person.identity.audited(
                "passkey.refused", outcome: "auth/invalid-passkey") == 4)
        #expect(try await person.identity.audited("sign-in.succeeded") == 1)
    }

    @Test("F-01: a passkey that no account has is unknown, also once it was removed")
    func unknown() async throws {
        let person = try await PasskeyPerson()
        #expect(try await refusal { try await person.signIn() }.code == .unknownPasskey)
        let added = try await person.add()
        _ = try await person.signIn()
        try await person.remove(added.passkeyId)
        #expect(try await refusal { try await person.signIn() }.code == .unknownPasskey)
    }

    @Test("F-01: an account that may not be used says so, after a right signature")
    func suspended() async throws {
        let person = try await PasskeyPerson()
        try await person.add()
        try await person.identity.change("UPDATE accounts SET status = 2")
        #expect(try await refusal { try await person.signIn() }.code == .accountDisabled)
    }

    @Test("G-25: a repeat has the answer of the first call, until all sessions have ended")
    func repeats() async throws {
        let person = try await PasskeyPerson()
        let added = try await person.add()
        let ceremony = TestCeremony(challenge: try await person.signInChallenge())
        let first = try #require(try await person.signIn(ceremony, key: "k").proof)
        person.identity.time.advance(by: .seconds(900))
        let again = try #require(try await person.signIn(ceremony, key: "k").proof)
        #expect(again.accountId == first.accountId && again.amr == first.amr)
        #expect(again.authTimeMs == first.authTimeMs)
        #expect(try await person.identity.audited("sign-in.succeeded") == 1)
        let fresh = person.identity.devices.open(person.account)
        try await person.remove(added.passkeyId, in: fresh)
        let void = try await refusal { try await person.signIn(ceremony, key: "k") }
        #expect(void.code == .idempotencyKeyReused)
    }

    @Test("F-01: 64 calls with one signature open one session")
    func races() async throws {
        let person = try await PasskeyPerson()
        try await person.add()
        let ceremony = TestCeremony(challenge: try await person.signInChallenge())
        let opened = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask { (try? await person.signIn(ceremony)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(opened == 1)
        #expect(try await person.identity.audited("sign-in.succeeded") == 1)
    }

    @Test("F-01: a count that does not rise is recorded and told, and never refused")
    func counter() async throws {
        let person = try await PasskeyPerson()
        try await person.add()
        func signIn(_ count: UInt32) async throws {
            var ceremony = TestCeremony(challenge: try await person.signInChallenge())
            ceremony.signCount = count
            _ = try await person.signIn(ceremony)
        }
        try await signIn(0)
        try await signIn(7)
        #expect(try await person.identity.audited("passkey.counter-behind") == 0)
        try await signIn(7)
        try await signIn(3)
        #expect(try await person.identity.audited("passkey.counter-behind") == 2)
        try await person.identity.relay()
        #expect(person.identity.templates.contains("passkey-counter-behind"))
        #expect(try await person.identity.count("passkeys", where: "sign_count = 7") == 1)
    }

    @Test("G-16: a guest that signs in is another account, and an account's session is ignored")
    func guest() async throws {
        let person = try await PasskeyPerson()
        try await person.add()
        let guest = try await person.identity.guestWithDocument().token
        let answer = try await person.signIn(
            TestCeremony(challenge: try await person.signInChallenge()), in: guest)
        #expect(answer.account?.accountId == person.account && answer.collision != nil)
        let own = try await person.signIn(
            TestCeremony(challenge: try await person.signInChallenge()), in: person.token)
        #expect(own.collision == nil)
    }

    @Test("F-03: a second factor, or one that is required, asks for nothing beside a passkey")
    func gate() async throws {
        for mode in [SecondFactorSettings.Mode.optional, .required] {
            let person = try await PasskeyPerson(secondFactor: mode)
            try await person.add()
            _ = try await person.identity.plantFactor(in: person.account)
            #expect(try await person.signIn().proof?.amr == Authentication.softwarePasskey.amr)
        }
    }

    @Test("F-01: a passkey of another domain is listed as unusable, not offered, and refused")
    func otherDomain() async throws {
        let person = try await PasskeyPerson()
        try await person.add()
        try await person.identity.change(
            "UPDATE passkeys SET relying_party = 'example.com'")
        let listed = try await person.list()
        #expect(listed.passkeys.map(\.isUnusable) == [true])
        #expect(
            try await refusal { try await person.beginProof(in: person.token) }.code
                == .operationNotAllowed)
        #expect(try await person.beginAdd().excludeCredentials.isEmpty)
        #expect(try await refusal { try await person.signIn() }.code == .invalidPasskey)
        try await person.identity.service.reportUnusablePasskeys(
            person.identity.log.logger(time: person.identity.time))
        #expect(person.identity.log.lines.contains { $0.contains("identity.passkeys.unusable") })
    }
}
