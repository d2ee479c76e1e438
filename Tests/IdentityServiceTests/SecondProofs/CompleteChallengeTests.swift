import Contracts
import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("F-03: a second proof completes a sign-in", .timeLimit(.minutes(2)))
struct CompleteChallengeTests {
    @Test("each kind that is accepted completes the sign-in", arguments: SignInWay.allCases)
    func completes(way: SignInWay) async throws {
        for kind in way.kinds {
            let person = try await GatedPerson()
            let challenge = try await person.begin(way)
            let succeeded = try await person.identity.audited("sign-in.succeeded")
            let answer = try await person.identity.complete(
                challenge, try await person.proof(kind, of: challenge))
            let proof = try #require(answer.admission?.proof, "\(kind)")
            #expect(proof.accountId == person.account && proof.purpose == .signIn)
            #expect(proof.amr == way.amr + kind.amr.filter { !way.amr.contains($0) })
            #expect(answer.admission?.account?.accountId == person.account)
            #expect(try await person.identity.audited("sign-in.succeeded") == succeeded + 1)
            let again = try await refusal {
                try await person.identity.complete(
                    challenge, try await person.proof(kind, of: challenge))
            }
            #expect(again.code == .invalidChallenge)
        }
    }

    @Test("what the first proof would have changed, changes with the second: a new password")
    func reset() async throws {
        let person = try await GatedPerson()
        let challenge = try await person.begin(.resetLink)
        let ended = person.identity.sessions.ended.count
        let answer = try await person.identity.complete(
            challenge, try await person.proof(.phone, of: challenge))
        #expect(!answer.forgetDevices)
        try await person.identity.relay()
        #expect(person.identity.sessions.ended.count == ended + 1)
        #expect(person.identity.templates.contains("password-changed"))
        let old = try await refusal { try await person.identity.signIn() }
        #expect(old.code == .invalidCredential)
        _ = try await person.identity.challenge {
            try await person.identity.signIn(password: "Owner8Password")
        }
        // Of the proof no session of before is left.
        let proof = try #require(answer.admission?.proof)
        #expect(proof.provedAtMs >= (person.identity.sessions.ended.last?.beforeMs ?? .max))
    }

    @Test("what the first proof would have changed, changes with the second: a new provider")
    func links() async throws {
        let person = try await GatedPerson()
        let challenge = try await person.begin(.newProvider)
        let answer = try await person.identity.complete(
            challenge, try await person.proof(.password, of: challenge))
        #expect(answer.admission?.isLinked == true)
        #expect(answer.admission?.account?.methods.contains("apple") == true)
    }

    @Test("N-01: the device is known with the second proof, and the owner gets the mail then")
    func device() async throws {
        let person = try await GatedPerson()
        let identity = person.identity
        let challenge = try await identity.challenge {
            try await identity.accounts.verifyPassword(
                .init(
                    signIn: .init(
                        email: "ada@example.org", password: "Correct7Horse",
                        device: IdentityFixture.otherDevice)), identity.context())
        }
        _ = try await identity.sendCode(challenge, on: IdentityFixture.otherDevice)
        try await identity.relay()
        #expect(!identity.templates.contains("new-device"))
        let code = identity.notifications.mails.last { $0.template == "sign-in-code" }?
            .variables.first { $0.name == "code" }?.value
        let answer = try await identity.complete(
            challenge, .emailCode(.init(text: try #require(code))),
            on: IdentityFixture.otherDevice)
        #expect(answer.admission?.history?.isNewDevice == true)
        try await identity.relay()
        #expect(identity.templates.contains("new-device"))
    }

    @Test("A-06: the second proof also confirms a number that has changed")
    func confirmsNumber() async throws {
        let person = try await GatedPerson(.standard)
        try await person.phones.change()
        let challenge = try await person.begin(.phone)
        let wrong = try await refusal {
            try await person.identity.complete(challenge, .password("Wrong7Horse"))
        }
        #expect(wrong.code == .invalidCredential)
        #expect(try await person.identity.audited("phone.number-confirmed") == 0)
        _ = try await person.identity.complete(challenge, .password("Correct7Horse"))
        #expect(try await person.identity.audited("phone.number-confirmed") == 1)
        let signIn = try await person.signIn(.phone)
        #expect(try await signIn(nil)?.accountId == person.account)
    }

    @Test("A-06: a code to a number that has changed is no second proof")
    func changedNumber() async throws {
        let person = try await GatedPerson()
        try await person.phones.change()
        let challenge = try await person.begin(.password)
        #expect(challenge.kinds == ["email_code", "provider_token"])
    }

    // MARK: when it is too late

    /// What ends a challenge.
    enum End: CaseIterable, Sendable {
        case time, newPassword, suspension, endOfSessions
    }

    @Test(
        "a challenge ends with its time, and with whatever ends all sessions",
        arguments: End.allCases)
    func ends(end: End) async throws {
        let person = try await GatedPerson()
        let identity = person.identity
        let challenge = try await person.begin(.password)
        let code = try await identity.mailedCode(challenge)
        switch end {
        case .time: identity.time.advance(by: ChallengeRule.life)
        case .newPassword:
            _ = try await identity.credentials.changePassword(
                .init(
                    currentPassword: "Correct7Horse", newPassword: "Another8Horse",
                    device: IdentityFixture.device),
                identity.relayed(identity.devices.open(person.account)))
        case .suspension:
            _ = try await identity.admin(NoActivity()).suspendAccount(
                .init(accountId: person.account, reason: "spam", actor: "ann"),
                identity.context(application: "tool"))
        case .endOfSessions:
            try await identity.change(
                "UPDATE accounts SET session_generation = session_generation + 1")
        }
        for call in [
            { _ = try await identity.complete(challenge, .emailCode(.init(text: code))) },
            { _ = try await identity.sendCode(challenge) },
        ] as [() async throws -> Void] {
            #expect(try await refusal { try await call() }.code == .invalidChallenge)
        }
    }

    @Test("an account that cannot be used is said to be disabled, and only with both proofs")
    func disabled() async throws {
        let person = try await GatedPerson()
        let challenge = try await person.begin(.password)
        let code = try await person.identity.mailedCode(challenge)
        try await person.identity.change("UPDATE accounts SET status = 2")
        let right = try await refusal {
            try await person.identity.complete(challenge, .emailCode(.init(text: code)))
        }
        #expect(right.code == .accountDisabled)
    }

    @Test("an identity that leads elsewhere by now completes nothing")
    func moved() async throws {
        let person = try await GatedPerson()
        let challenge = try await person.begin(.knownProvider)
        try await person.identity.change("DELETE FROM identities WHERE method = 'google'")
        let error = try await refusal {
            try await person.identity.complete(challenge, .password("Correct7Horse"))
        }
        #expect(error.code == .invalidChallenge)
        #expect(try await person.identity.count("accounts") == 1)
    }

    // MARK: repeats

    @Test(
        "G-25: a repeat gets the first answer, and must prove the same",
        arguments: SignInWay.allCases)
    func repeats(way: SignInWay) async throws {
        let person = try await GatedPerson()
        let identity = person.identity
        let challenge = try await person.begin(way)
        let proof = try await person.proof(way.kinds[1], of: challenge)
        var first = try await identity.complete(challenge, proof, key: "k")
        let state = try await person.state()
        identity.time.advance(by: .seconds(5))
        // A password is compared with the present one.
        let shown = way == .resetLink ? .password("Owner8Password") : proof
        var again = try await identity.complete(challenge, shown, key: "k")
        #expect(again.admission?.proof?.amr == first.admission?.proof?.amr)
        first.admission?.proof = nil
        again.admission?.proof = nil
        #expect(again == first)
        #expect(try await person.state() == state)
        let other = try await refusal {
            try await identity.complete(
                challenge, shown, on: IdentityFixture.otherDevice, key: "k")
        }
        #expect(other.code == .invalidChallenge)
        try await identity.change(
            "UPDATE accounts SET session_generation = session_generation + 1")
        let late = try await refusal { try await identity.complete(challenge, shown, key: "k") }
        #expect(late.code == .idempotencyKeyReused)
    }

    @Test("G-25: a repeat with another proof is another request, and a wrong password is wrong")
    func otherProof() async throws {
        let person = try await GatedPerson()
        let identity = person.identity
        let challenge = try await person.begin(.phone)
        _ = try await identity.complete(challenge, .password("Correct7Horse"), key: "k")
        let wrong = try await refusal {
            try await identity.complete(challenge, .password("Wrong7Horse"), key: "k")
        }
        #expect(wrong.code == .invalidCredential)
        let other = try await refusal {
            try await identity.complete(challenge, .emailCode("123456"), key: "k")
        }
        #expect(other.code == .idempotencyKeyReused)
    }

    @Test("of 20 parallel completions one opens a session")
    func parallel() async throws {
        let person = try await GatedPerson()
        let identity = person.identity
        let challenge = try await person.begin(.phone)
        let codes = await withTaskGroup(of: ErrorCode?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do {
                        _ = try await identity.complete(challenge, .password("Correct7Horse"))
                        return nil
                    } catch {
                        return (error as? ServiceError)?.code ?? .internalError
                    }
                }
            }
            return await group.reduce(into: [ErrorCode?]()) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1)
        #expect(codes.count { $0 == .invalidChallenge } == 19)
    }

    // MARK: guests

    @Test("G-16: a guest is settled with the second proof, in the session that made the first call")
    func guests() async throws {
        let person = try await GatedPerson()
        let identity = person.identity
        let guest = try await identity.guestWithDocument()
        let other = try await identity.guestWithDocument()
        func begin() async throws -> (ServiceError.SecondProof, String) {
            let challenge = try await identity.challenge {
                try await identity.accounts.verifyPassword(
                    .init(
                        signIn: .init(
                            email: "ada@example.org", password: "Correct7Horse",
                            device: IdentityFixture.device)), identity.relayed(guest.token))
            }
            return (challenge, try await identity.mailedCode(challenge))
        }
        for session in [nil, other.token, person.token] {
            let (challenge, code) = try await begin()
            let answer = try await identity.complete(
                challenge, .emailCode(.init(text: code)), guest: session)
            #expect(answer.admission?.collision == nil)
        }
        #expect(try await identity.audited("guest-data.chosen") == 0)
        let (challenge, code) = try await begin()
        let answer = try await identity.complete(
            challenge, .emailCode(.init(text: code)), guest: guest.token)
        #expect(answer.admission?.collision?.guest?.accountId == guest.account)
        #expect(try await identity.audited("guest-data.chosen") == 1)
    }
}
