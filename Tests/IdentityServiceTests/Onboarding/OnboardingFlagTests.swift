import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService
@testable import PersonalData

@Suite("G-18, G-01: the flag and required actions in answers", .timeLimit(.minutes(1)))
struct OnboardingFlagTests {
    @Test("D1: an account with the documents that onboarding requires is complete")
    func inferred() async throws {
        let fixture = try await OnboardingFixture()
        func isComplete() async throws -> Bool {
            let flag = try await fixture.current().account.onboardingComplete
            #expect(try await fixture.get().complete == flag)
            #expect(try await fixture.identity.signIn().account?.onboardingComplete == flag)
            return flag
        }
        try await fixture.write("profile", #"{"name":"Ada"}"#)
        #expect(try await !isComplete())
        try await fixture.write("goals", #"{"target":7}"#)
        #expect(try await isComplete())
        _ = try await fixture.handler.documents.removeDocument(
            .init(collection: "goals", name: "main"), fixture.identity.relayed(fixture.token))
        #expect(try await !isComplete())
    }

    @Test("G-01: each answer with an account says what its owner still has to do")
    func answers() async throws {
        let fixture = try await OnboardingFixture()
        let all: [GatewayV1.RequiredAction] = [
            .verifyEmail, .completeProfile, .completeOnboarding,
        ]
        #expect(try await fixture.current().requiredActions == all)
        #expect(try await fixture.identity.signIn().requiredActions == all)
        try await fixture.saveAll()
        _ = try await fixture.complete()
        #expect(try await fixture.identity.signIn().requiredActions == [.verifyEmail])
        let google = try await fixture.identity.signIn(
            by: .token("g1", email: "eve@example.org", name: "Eve"))
        #expect(google.requiredActions == [.completeProfile, .completeOnboarding])
    }

    @Test("G-01: a display name is to be entered only if the app requires one")
    func displayName() async throws {
        for mode in IdentitySettings.DisplayNameMode.allCases {
            let identity = try IdentityFixture(displayName: mode)
            let nameless = try await identity.signIn(by: .token("g1"))
            #expect(nameless.requiredActions == (mode == .required ? [.completeProfile] : []))
            #expect(try await identity.signIn(by: .token("g2", name: "Eve")).requiredActions == [])
            let guest = try await identity.identities.signInAsGuest(.init(), identity.context())
            #expect(guest.account?.isGuest == true && guest.requiredActions == [])
        }
    }

    @Test("a backend sets the flag, until the next completion")
    func byBackend() async throws {
        let fixture = try await OnboardingFixture()
        try await fixture.saveAll()
        _ = try await fixture.complete()
        for (complete, times) in [(false, 1), (false, 1), (true, 2), (false, 3)] {
            try await fixture.setOnboarding(complete)
            #expect(try await fixture.current().account.onboardingComplete == complete)
            #expect(
                try await fixture.identity.audited("onboarding.set-by-backend") == Int64(times))
        }
        #expect(
            try await fixture.identity.count("audit", where: "actor = 'billing/ann'") == 3)
        #expect(try await fixture.complete().account?.onboardingComplete == true)
        #expect(try await fixture.identity.audited("onboarding.completed") == 2)
    }

    @Test("the token of a backend that sets the flag covers its value")
    func signedValue() async throws {
        let fixture = try await OnboardingFixture()
        let error = try await refusal { try await fixture.setOnboarding(true, signed: "false") }
        #expect(error.code == .unauthenticated)
        #expect(try await !fixture.current().account.onboardingComplete)
        let nobody = try #require(AccountID(key: 1)).text
        let missing = try await refusal { try await fixture.setOnboarding(true, of: nobody) }
        #expect(missing == ServiceError(.notFound, fields: ["call.account_id"]))
    }
}

extension OnboardingFixture {
    /// Sets the flag as the backend.
    /// - Parameters:
    ///   - account: The account; this fixture's by default.
    ///   - signed: What the token covers; the value by default.
    fileprivate func setOnboarding(
        _ complete: Bool, of account: String? = nil, signed: String? = nil
    ) async throws {
        let account = account ?? self.account
        let value = signed ?? (complete ? "true" : "false")
        let token = try DocumentToken.sign(
            "SetOnboarding", [DocumentToken.label, account, "ann", value], idempotencyKey: nil,
            audience: DocumentFixture.audience, at: identity.time.now(), by: "billing",
            key: DocumentFixture.key())
        let documents = try identity.documents(rules: handler.documents.rules)
        _ = try await documents.setOnboarding(
            .init(
                call: .init(
                    accountId: account, applicationToken: SecretBytes(text: token), actor: "ann"),
                complete: complete), identity.relayed(nil))
    }
}
