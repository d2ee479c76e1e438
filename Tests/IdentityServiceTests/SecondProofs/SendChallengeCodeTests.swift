import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityAssembly
@testable import IdentityService

@Suite("F-03: codes that are sent for second proofs", .timeLimit(.minutes(1)))
struct SendChallengeCodeTests {
    private static let mailHint = "a•••@e•••"

    @Test("a code goes to the account's own number or address, in its language, for five minutes")
    func sends() async throws {
        let person = try await GatedPerson()
        let identity = person.identity
        let challenge = try await person.begin(.password)
        let expiresAt = identity.time.now().milliseconds + 300_000
        let mailed = try await identity.sendCode(challenge)
        #expect(mailed == .init(hint: Self.mailHint, expiresAtMs: expiresAt))
        let texted = try await identity.sendCode(challenge, .phone)
        #expect(texted == .init(hint: "••• 5678", expiresAtMs: expiresAt))
        try await identity.relay()
        let mail = try #require(
            identity.notifications.mails.last { $0.template == "sign-in-code" })
        #expect(mail.recipient == "ada@example.org" && mail.language == "en-GB")
        #expect(identity.texts.texts.last?.recipient == PhoneCodeFixture.number)
        #expect(try await person.phones.audit().contains("phone-code.requested"))
    }

    @Test("a new code replaces the one before, of either kind")
    func replaces() async throws {
        let person = try await GatedPerson()
        let identity = person.identity
        let challenge = try await person.begin(.password)
        let first = try await identity.mailedCode(challenge)
        let second = try await identity.textedCode(challenge)
        let old = try await refusal {
            try await identity.complete(challenge, .emailCode(.init(text: first)))
        }
        #expect(old.code == .invalidCode)
        _ = try await identity.complete(challenge, .phoneCode(.init(text: second)))
    }

    @Test("the code of one challenge does not answer another")
    func others() async throws {
        let person = try await GatedPerson()
        let identity = person.identity
        let (first, second) = (try await person.begin(.password), try await person.begin(.password))
        let code = try await identity.mailedCode(first)
        let other = try await identity.mailedCode(second)
        guard code != other else { return }
        let error = try await refusal {
            try await identity.complete(second, .emailCode(.init(text: code)))
        }
        #expect(error.code == .invalidCode)
        _ = try await identity.complete(second, .emailCode(.init(text: other)))
    }

    @Test("G-25: a repeat sends nothing, and has the first answer")
    func repeats() async throws {
        let person = try await GatedPerson()
        let identity = person.identity
        let challenge = try await person.begin(.password)
        let first = try await identity.sendCode(challenge, key: "k")
        try await identity.relay()
        identity.time.advance(by: .seconds(5))
        #expect(try await identity.sendCode(challenge, key: "k") == first)
        // Also once the challenge has ended.
        identity.time.advance(by: ChallengeRule.life)
        #expect(try await identity.sendCode(challenge, key: "k") == first)
        let late = try await refusal { try await identity.sendCode(challenge, key: "l") }
        #expect(late.code == .invalidChallenge)
        try await identity.relay()
        #expect(identity.templates.count { $0 == "sign-in-code" } == 1)
        let other = try await refusal {
            try await identity.sendCode(challenge, .phone, key: "k")
        }
        #expect(other.code == .idempotencyKeyReused)
    }

    @Test("a kind that is not accepted, or that is no code, is rejected")
    func notAccepted() async throws {
        let person = try await GatedPerson()
        let challenge = try await person.begin(.phone)
        for kind in [.phone, .unspecified, .unrecognized(9)] as [GatewayV1.ChallengeCodeKind] {
            let error = try await refusal { try await person.identity.sendCode(challenge, kind) }
            #expect(error == ServiceError(.invalidArgument, fields: ["kind"]))
        }
    }

    @Test("a number that was removed since gets no code")
    func removed() async throws {
        let person = try await GatedPerson()
        let challenge = try await person.begin(.password)
        try await person.identity.change("DELETE FROM identities WHERE method = 'phone'")
        let error = try await refusal { try await person.identity.sendCode(challenge, .phone) }
        #expect(error.code == .invalidChallenge)
    }

    @Test("I-06: neither the token nor the code is in the store")
    func stored() async throws {
        let person = try await GatedPerson()
        let challenge = try await person.begin(.password)
        let code = try await person.identity.mailedCode(challenge)
        let rows = try await person.identity.store.read { session in
            try session.query("SELECT * FROM sign_in_challenges") { $0.values }
        }
        #expect(rows.count == 1)
        let text = "\(rows)"
        #expect(!text.contains(challenge.challenge) && !text.contains(code))
    }
}
