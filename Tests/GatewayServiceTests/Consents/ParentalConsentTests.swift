import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityService

@Suite("G-23: age and the consent of a parent", .timeLimit(.minutes(1)))
struct ParentalConsentTests {
    private static let mails = "parental-mail-by-account"
    private static let mum = "mum@example.org"

    private static func fixture(
        _ parental: AgeSettings.ParentalConsentMode
    ) async throws -> GatewayFixture {
        try await GatewayFixture(
            consent: ConsentSettings(
                age: AgeSettings(gate: .required, parentalConsent: parental)))
    }

    /// The tests begin on 2026-01-01.
    private func signUp(
        _ fixture: GatewayFixture, born: String, on device: String = "d1",
        _ email: String = "kid@example.org"
    ) async throws -> (account: String, context: CallContext) {
        let answer = try await fixture.auth.signUpWithPassword(
            .init(
                email: email, password: .init(text: "Correct7Horse"),
                device: .init(deviceId: device, platform: "cli"), displayName: "Kid",
                acceptance: .init(birthDate: SecretBytes(born))), fixture.context())
        let session = try #require(answer.session)
        return (
            try #require(answer.account).accountId,
            fixture.context().bearing(session.accessToken)
        )
    }

    private func answer(
        _ fixture: GatewayFixture, _ link: String, _ answer: GatewayV1.ParentalAnswer
    ) async throws -> GatewayV1.AnswerParentalConsentResponse {
        try await fixture.consents.answerParentalConsent(
            .init(token: SecretBytes(link), answer: answer), fixture.context())
    }

    @Test("G-26: a sign-in screen gets the least age, and whether a parent can consent")
    func options() async throws {
        let fixture = try await Self.fixture(.allowed)
        let answer = try await fixture.options.getSignInOptions(.init(), fixture.context())
        #expect(answer.consent == .init(mode: .off, ageMinimum: 13, parentalConsent: true))
    }

    @Test("a person who is too young is refused, also with another date; the try stays charged")
    func underage() async throws {
        let fixture = try await Self.fixture(.off)
        for born in ["2020-01-01", "1990-01-01"] {
            let error = try await refusal { try await signUp(fixture, born: born) }
            #expect(error.code == .underageUser)
        }
        #expect(try await fixture.inner.count(fixture.inner.identityStore, "accounts") == 0)
        #expect(try fixture.inner.left("sign-up-by-address", "192.0.2.7") == 1)
        _ = try await signUp(fixture, born: "1990-01-01", on: "d2")
    }

    @Test("a child signs up, a parent is asked by mail, sees the name, consents, and can withdraw")
    func consent() async throws {
        let fixture = try await Self.fixture(.allowed)
        let kid = try await signUp(fixture, born: "2015-06-01")
        let state = try await fixture.auth.checkAuthState(.init(), kid.context)
        #expect(state.requiredActions == [.parentalConsent, .verifyEmail])
        let asked = try await fixture.consents.requestParentalConsent(
            .init(parentEmail: Self.mum), kid.context)
        #expect(asked.state == .requested && asked.expiresAtMs > 0)
        let link = try await fixture.inner.linkToken(to: Self.mum, page: "parent")
        let shown = try await answer(fixture, link, .unspecified)
        #expect(
            shown
                == .init(
                    state: .requested, childName: "Kid", deletionAtMs: asked.expiresAtMs))
        #expect(try await answer(fixture, link, .give).state == .given)
        let given = try await fixture.consents.getConsents(.init(), kid.context)
        #expect(given.parentalConsent == .given)
        #expect(try await answer(fixture, link, .refuse).state == .refused)
        let error = try await refusal {
            try await fixture.consents.getConsents(.init(), kid.context)
        }
        #expect(error.code == .accountDisabled || error.code == .sessionEnded)
    }

    @Test("R-03: an account asks three times a day, and refused requests do not count")
    func limit() async throws {
        let fixture = try await Self.fixture(.allowed)
        let kid = try await signUp(fixture, born: "2015-06-01")
        func ask(_ parent: String) async throws -> GatewayV1.RequestParentalConsentResponse {
            try await fixture.consents.requestParentalConsent(
                .init(parentEmail: parent), kid.context)
        }
        for wrong in ["kid@example.org", "none", ""] {
            #expect(try await refusal { try await ask(wrong) }.code == .invalidEmail)
        }
        for number in 1...3 {
            #expect(try fixture.inner.left(Self.mails, kid.account) == UInt32(4 - number))
            _ = try await ask("parent\(number)@example.org")
        }
        #expect(try await refusal { try await ask(Self.mum) }.code == .tooManyRequests)
        let other = try await signUp(fixture, born: "1990-01-01", on: "d2", "ada@example.org")
        let notNeeded = try await refusal {
            try await fixture.consents.requestParentalConsent(
                .init(parentEmail: Self.mum), other.context)
        }
        #expect(notNeeded.code == .operationNotAllowed)
    }
}
