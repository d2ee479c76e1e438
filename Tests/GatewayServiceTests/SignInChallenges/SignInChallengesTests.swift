import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityService
@testable import NotificationService

@Suite("F-03: a sign-in that waits for its second proof", .timeLimit(.minutes(1)))
struct SignInChallengesTests {
    private static let mailHint = "a•••@e•••"

    let fixture: GatewayFixture
    let ada: SignedIn

    /// Ada has a password, and a verified address.
    init() async throws {
        fixture = try await GatewayFixture(gate: .always)
        ada = try await fixture.signUp()
        _ = try await fixture.verify(
            try await fixture.inner.linkToken(), accessToken: ada.session.accessToken)
        fixture.time.advance(by: .seconds(1))
    }

    /// Begins a sign-in by the password.
    private func begin(
        device: String = "d1", in context: CallContext? = nil
    ) async throws -> ServiceError.SecondProof {
        let error = try await refusal { try await fixture.signIn(device: device, in: context) }
        #expect(error.code == .secondProofRequired)
        return try #require(error.secondProof)
    }

    /// Has a code mailed, and reads it.
    private func code(
        for challenge: ServiceError.SecondProof, device: String = "d1"
    ) async throws -> String {
        _ = try await fixture.sendCode(challenge, device: device)
        return try await fixture.inner.mailedCode()
    }

    private func complete(
        _ challenge: ServiceError.SecondProof, mailed code: String, device: String = "d1",
        in context: CallContext? = nil
    ) async throws -> GatewayV1.CompleteSignInResponse {
        try await fixture.completeSignIn(
            challenge, .emailCode(.init(text: code)), device: device, in: context)
    }

    private func linkPhone() async throws {
        let token = ada.session.accessToken
        let sent = try await fixture.sentCode(GatewayFixture.number, .link, accessToken: token)
        _ = try await fixture.phone.linkPhone(
            .init(
                requestId: sent.request, phoneNumber: GatewayFixture.number, code: sent.code),
            fixture.context().bearing(token))
    }

    private func sessions() async throws -> Int64 {
        try await fixture.inner.count(fixture.inner.sessionStore, "session")
    }

    private func knownDevices() async throws -> Int64 {
        try await fixture.inner.count(fixture.inner.identityStore, "known_devices")
    }

    @Test("F-03: nothing of the sign-in has happened until the second proof is there")
    func waits() async throws {
        let before = try await (sessions(), knownDevices())
        let challenge = try await begin(device: "d2")
        #expect(challenge.kinds == ["email_code"] && challenge.hints == [Self.mailHint])
        #expect(challenge.expiresAtMs == fixture.time.now().milliseconds + 600_000)
        #expect(try await sessions() == before.0)
        #expect(try await knownDevices() == before.1)
        #expect(try fixture.inner.left("failed-sign-in-by-account", "ada@example.org") == 4)

        let code = try await code(for: challenge, device: "d2")
        let answer = try await complete(challenge, mailed: code, device: "d2")
        #expect(answer.account?.accountId == ada.account.accountId)
        #expect(answer.history?.isNewDevice == true)
        let session = try #require(answer.session)
        #expect(try await fixture.check(session.accessToken).authenticated)
        #expect(try await knownDevices() == before.1 + 1)
        #expect(try fixture.inner.left("failed-sign-in-by-account", "ada@example.org") == 5)
        #expect(try fixture.inner.left("second-proof-by-address", "192.0.2.7") == 50)
    }

    @Test("R-03: the device is known, and strangers' failures are forgotten, only with both proofs")
    func lane() async throws {
        let challenge = try await begin(device: "d2")
        for number in 0..<4 {
            let error = try await refusal {
                try await fixture.signIn(
                    password: "Wrong7Horse", device: "x\(number)",
                    in: fixture.context(address: "198.51.100.\(number)"))
            }
            #expect(error.code == .invalidCredential)
        }
        // The charge of the first proof is the fifth.
        #expect(
            try await refusal { try await fixture.signIn(device: "d2") }.code == .tooManyRequests)
        let code = try await code(for: challenge, device: "d2")
        _ = try await complete(challenge, mailed: code, device: "d2")
        // The window keeps what others failed; the first proof's charge is given back.
        #expect(try fixture.inner.left("failed-sign-in-by-account", "ada@example.org") == 1)
        _ = try await begin(device: "d2")
    }

    @Test("R-01: five codes an hour are sent for an account, and each one replaces the one before")
    func codes() async throws {
        let challenge = try await begin()
        let first = try await code(for: challenge)
        for number in 1..<5 {
            let sent = try await fixture.sendCode(challenge)
            #expect(sent.hint == Self.mailHint)
            #expect(sent.expiresAtMs == fixture.time.now().milliseconds + 300_000)
            #expect((sent.nextAfterMs > 0) == (number == 4))
        }
        #expect(
            try await refusal { try await fixture.sendCode(challenge) }.code == .tooManyRequests)
        let old = try await refusal { try await complete(challenge, mailed: first) }
        #expect(old.code == .invalidCode)
    }

    @Test("R-02: after five wrong codes a challenge has ended, and the owner gets a mail")
    func guesses() async throws {
        let challenge = try await begin()
        let code = try await code(for: challenge)
        let wrong = code == "000000" ? "000001" : "000000"
        for _ in 0..<5 {
            let error = try await refusal { try await complete(challenge, mailed: wrong) }
            #expect(error.code == .invalidCode && error.fields == ["code"])
        }
        let ended = try await refusal { try await complete(challenge, mailed: code) }
        #expect(ended.code == .invalidChallenge && ended.code.entry.next == .startAgain)
        #expect(try fixture.inner.left("mailed-code-guess", ada.account.accountId) == 0)
        #expect(try fixture.inner.left("second-proof-by-address", "192.0.2.7") == 45)
        let mails = try await fixture.inner.mails().filter {
            $0.subject.hasPrefix("Someone is trying to sign in")
        }
        #expect(mails.count == 1)
    }

    @Test("R-02: a guess without a live code counts against its address, and not the account")
    func notSent() async throws {
        let challenge = try await begin()
        let error = try await refusal { try await complete(challenge, mailed: "123456") }
        #expect(error.code == .invalidCode && error.fields == ["code"])
        #expect(try fixture.inner.left("mailed-code-guess", ada.account.accountId) == 5)
        #expect(try fixture.inner.left("second-proof-by-address", "192.0.2.7") == 49)
    }

    @Test("R-01, R-02: a code to the phone has the waits and the guesses of its number")
    func phone() async throws {
        try await linkPhone()
        let challenge = try await begin()
        #expect(challenge.kinds == ["phone_code", "email_code"])
        #expect(challenge.hints == ["••• 5678", Self.mailHint])
        let sent = try await fixture.sendCode(challenge, .phone)
        #expect(sent.hint == "••• 5678" && sent.nextAfterMs == 60_000)
        let early = try await refusal { try await fixture.sendCode(challenge, .phone) }
        #expect(early.code == .tooManyRequests)
        let account = ada.account.accountId
        #expect(try fixture.inner.left("challenge-code-by-account", account) == 4)
        let code = try await fixture.inner.phoneCode(to: GatewayFixture.number)
        let wrong = code == "000000" ? "000001" : "000000"
        let error = try await refusal {
            try await fixture.completeSignIn(challenge, .phoneCode(.init(text: wrong)))
        }
        #expect(error.code == .invalidCode)
        #expect(try fixture.inner.left("phone-code-guess", GatewayFixture.number) == 4)
        let answer = try await fixture.completeSignIn(challenge, .phoneCode(.init(text: code)))
        #expect(answer.session != nil)
        #expect(try fixture.inner.left("phone-code-guess", GatewayFixture.number) == 5)
    }

    @Test("R-03: a password as the second proof is a guess at a password")
    func password() async throws {
        try await linkPhone()
        let sent = try await fixture.sentCode()
        let begun = try await refusal {
            try await fixture.signInByCode(sent.request, sent.code, device: "d9")
        }
        let challenge = try #require(begun.secondProof)
        #expect(challenge.kinds == ["email_code", "password"])
        #expect(begun.alternatives == ["password"])
        let error = try await refusal {
            try await fixture.completeSignIn(challenge, .password("Wrong7Horse"), device: "d9")
        }
        #expect(error.code == .invalidCredential)
        #expect(try fixture.inner.left("failed-sign-in-by-account", "ada@example.org") == 4)
        _ = try await fixture.completeSignIn(challenge, .password("Correct7Horse"), device: "d9")
        // A window keeps a failure after a success.
        #expect(try fixture.inner.left("failed-sign-in-by-account", "ada@example.org") == 4)
    }

    @Test("F-03: on another device or in another app the challenge is as unknown")
    func elsewhere() async throws {
        let challenge = try await begin()
        let code = try await code(for: challenge)
        let other = try await refusal {
            try await complete(challenge, mailed: code, device: "d2")
        }
        #expect(other.code == .invalidChallenge)
        let sent = try await refusal { try await fixture.sendCode(challenge, device: "d2") }
        #expect(sent.code == .invalidChallenge)
        var context = fixture.context(application: "web")
        context.metadata[Metadata.Key.app] = "shop-web"
        let app = try await refusal { try await complete(challenge, mailed: code, in: context) }
        #expect(app.code == .invalidChallenge)
        _ = try await complete(challenge, mailed: code)
    }

    @Test(
        "F-03: a malformed challenge is invalid, and a call without a proof or a kind is rejected")
    func malformed() async throws {
        for text in ["", "x", String(repeating: "a", count: 43), String(repeating: "é", count: 9)] {
            let challenge = ServiceError.SecondProof(
                challenge: text, kinds: [], expiresAtMs: 0, hints: [])
            let error = try await refusal { try await complete(challenge, mailed: "123456") }
            #expect(error.code == .invalidChallenge, "\(text)")
        }
        let challenge = try await begin()
        let unspecified = try await refusal { try await fixture.sendCode(challenge, .unspecified) }
        #expect(unspecified == ServiceError(.invalidArgument, fields: ["kind"]))
        let unproved = try await refusal {
            try await fixture.challenges.completeSignIn(
                .init(challenge: challenge.challenge, device: GatewayFixture.device("d1")),
                fixture.context())
        }
        #expect(unproved == ServiceError(.invalidArgument, fields: ["proof"]))
        let notAccepted = try await refusal {
            try await fixture.completeSignIn(challenge, .password("Correct7Horse"))
        }
        #expect(notAccepted == ServiceError(.invalidArgument, fields: ["password"]))
    }

    @Test("G-25: repeats get the same challenge and the same session, after both proofs too")
    func repeats() async throws {
        let first = try await begin(in: fixture.context("s"))
        #expect(try await begin(in: fixture.context("s")) == first)
        #expect(
            try await fixture.inner.count(fixture.inner.identityStore, "sign_in_challenges") == 1)
        let code = try await code(for: first)
        let done = try await complete(first, mailed: code, in: fixture.context("c"))
        let again = try await complete(first, mailed: code, in: fixture.context("c"))
        #expect(again.session?.refreshToken == done.session?.refreshToken)
        #expect(again.history == done.history)
        let other = try await refusal { try await complete(first, mailed: code) }
        #expect(other.code == .invalidChallenge)
    }
}
