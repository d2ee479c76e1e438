import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityService

@Suite("G-23: consent of the caller's account", .timeLimit(.minutes(1)))
struct ConsentsTests {
    private static let writes = "document-write-by-account"
    private static let accepted = GatewayV1.Acceptance(termsVersion: "1", privacyVersion: "2")

    let fixture: GatewayFixture

    init() async throws {
        fixture = try await GatewayFixture(
            consent: ConsentSettings(
                mode: .required, versions: ConsentVersions(terms: "1", privacy: "2"),
                termsURL: "https://example.org/terms"))
    }

    private func signUp(
        _ email: String = "ada@example.org", _ acceptance: GatewayV1.Acceptance? = Self.accepted,
        in context: CallContext? = nil
    ) async throws -> (account: String, context: CallContext) {
        let answer = try await fixture.auth.signUpWithPassword(
            .init(
                email: email, password: .init(text: "Correct7Horse"), acceptance: acceptance),
            context ?? fixture.context())
        let session = try #require(answer.session)
        return (
            try #require(answer.account).accountId,
            fixture.context().bearing(session.accessToken)
        )
    }

    @Test("G-26: a sign-in screen gets the mode, the versions and their URLs")
    func options() async throws {
        let answer = try await fixture.options.getSignInOptions(.init(), fixture.context())
        #expect(
            answer.consent
                == .init(
                    mode: .required, termsVersion: "1", privacyVersion: "2",
                    termsUrl: "https://example.org/terms"))
        let off = try await GatewayFixture()
        let none = try await off.options.getSignInOptions(.init(), off.context())
        #expect(none.consent == .init(mode: .off))
    }

    @Test("a sign-up without consent is refused and creates nothing")
    func refused() async throws {
        let error = try await refusal { try await signUp("ada@example.org", nil) }
        #expect(error.code == .consentRequired && error.fields == ["acceptance"])
        #expect(try await fixture.inner.count(fixture.inner.identityStore, "accounts") == 0)
        let ada = try await signUp()
        let state = try await fixture.auth.checkAuthState(.init(), ada.context)
        #expect(state.requiredActions == [.verifyEmail])
    }

    @Test("a guest signs up with what it accepts; a code and a provider's token bring it along")
    func ways() async throws {
        let guest = try await fixture.guests.signInAsGuest(
            .init(acceptance: .init(marketing: true)), fixture.context())
        let context = fixture.context().bearing(guest.session?.accessToken)
        #expect(guest.requiredActions == [])
        #expect(
            try await refusal { try await signUp("g@example.org", nil, in: context) }.code
                == .consentRequired)
        let upgraded = try await signUp("g@example.org", in: context)
        let given = try await fixture.consents.getConsents(.init(), upgraded.context)
        #expect(given.isCurrent && given.consents.map(\.kind) == [.terms, .privacy, .marketing])
        #expect(given.options?.mode == .required)

        let (request, code) = try await fixture.sentCode("+4915112345678")
        func signIn(
            _ acceptance: GatewayV1.Acceptance?
        ) async throws -> GatewayV1.SignInWithPhoneCodeResponse {
            try await fixture.phone.signInWithPhoneCode(
                .init(
                    requestId: request, phoneNumber: "+4915112345678", code: code,
                    acceptance: acceptance), fixture.context())
        }
        #expect(try await refusal { try await signIn(nil) }.code == .consentRequired)
        #expect(try await signIn(Self.accepted).isNewUser)
    }

    @Test("terms are withdrawn and accepted, and the state of the session says what is left to do")
    func terms() async throws {
        let ada = try await signUp()
        let withdrawn = try await fixture.consents.withdrawConsent(
            .init(kind: .terms), ada.context)
        guard case .withdrawnAtMs(let moment) = withdrawn.consents.first?.withdrawn else {
            Issue.record("not withdrawn: \(withdrawn)")
            return
        }
        #expect(moment == fixture.time.now().milliseconds)
        let state = try await fixture.auth.checkAuthState(.init(), ada.context)
        #expect(state.authenticated && state.requiredActions == [.acceptTerms, .verifyEmail])
        let stale = try await refusal {
            try await fixture.consents.acceptTerms(
                .init(termsVersion: "0", privacyVersion: "2"), ada.context)
        }
        #expect(stale.code == .consentRequired && stale.fields == ["terms_version"])
        let accepted = try await fixture.consents.acceptTerms(
            .init(termsVersion: "1", privacyVersion: "2"), ada.context)
        #expect(accepted.consents.allSatisfy { $0.withdrawn == nil })
        #expect(accepted.consents.map(\.source) == ["accept-terms", "sign-up"])
        #expect(
            try await fixture.auth.checkAuthState(.init(), ada.context).requiredActions
                == [.verifyEmail])
    }

    @Test("privacy settings are off until they are given, and the operator sees them")
    func privacy() async throws {
        let ada = try await signUp()
        let former = try await fixture.consents.getPrivacy(.init(), ada.context).privacy
        #expect(former?.marketing == false && former?.analytics == false)
        #expect(former?.processing == true && former?.processingSentence.isEmpty == false)
        let set = try await fixture.consents.setPrivacy(
            .init(newMarketing: .marketing(true), newAnalytics: .analytics(false)), ada.context)
        #expect(set.privacy?.marketing == true && set.privacy?.analytics == false)
        #expect(
            try await fixture.consents.getPrivacy(.init(), ada.context).privacy == set.privacy)
    }

    @Test("R-03: changes are writes of the account; a refused one counts")
    func limits() async throws {
        let ada = try await signUp()
        func left() throws -> UInt32 { try fixture.inner.left(Self.writes, ada.account) }
        _ = try await refusal {
            try await fixture.consents.acceptTerms(.init(), ada.context)
        }
        #expect(try left() == 59)
        _ = try await fixture.consents.acceptTerms(
            .init(termsVersion: "1", privacyVersion: "2"), ada.context)
        _ = try await fixture.consents.withdrawConsent(.init(kind: .privacy), ada.context)
        _ = try await fixture.consents.setPrivacy(.init(), ada.context)
        _ = try await fixture.consents.getConsents(.init(), ada.context)
        #expect(try left() == 56)
    }
}
