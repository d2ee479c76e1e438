import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-18: onboarding of the caller's account", .timeLimit(.minutes(1)))
struct OnboardingTests {
    private static let writes = "document-write-by-account"

    let fixture: GatewayFixture
    let ada: SignedIn

    init() async throws {
        fixture = try await GatewayFixture(rules: TestRules.text)
        ada = try await fixture.signUp()
    }

    /// Of a call that begins now.
    private var context: CallContext {
        fixture.context().bearing(ada.session.accessToken)
    }

    private func save(
        _ section: String, _ json: String, screen: String = "", in context: CallContext? = nil
    ) async throws -> GatewayV1.OnboardingSection? {
        try await fixture.onboarding.saveOnboardingSection(
            .init(section: section, json: json, screen: screen), context ?? self.context
        ).section
    }

    private func isComplete() async throws -> Bool {
        try await fixture.onboarding.hasCompletedOnboarding(.init(), context).complete
    }

    @Test("G-18: sections are saved, resumed and completed into documents")
    func way() async throws {
        let first = try await fixture.onboarding.getOnboarding(.init(), context)
        #expect(first.sections.map(\.name) == ["you", "sleep"] && !first.complete)
        #expect(first.sections.first?.screens == ["name", "age"])
        #expect(first.resumeSection == "you")
        #expect(
            try await fixture.check(ada.session.accessToken).requiredActions.contains(
                .completeOnboarding))

        let saved = try #require(try await save("you", #"{"age":30}"#, screen: "name"))
        #expect(saved.version == 1 && !saved.done && saved.missing.map(\.field) == ["name"])
        let resumed = try await fixture.onboarding.getOnboarding(.init(), context)
        #expect(resumed.resumeSection == "you" && resumed.resumeScreen == "name")
        #expect(try await !isComplete())

        #expect(try await save("you", #"{"name":"Ada"}"#)?.done == true)
        #expect(try await save("sleep", "{}")?.done == true)
        let done = try await fixture.onboarding.completeOnboarding(.init(), context)
        #expect(done.account?.onboardingComplete == true)
        #expect(done.written.map(\.collection).sorted() == ["goals", "profile"])
        #expect(try await isComplete())
        let profile = try await fixture.read("profile", in: context)
        #expect(profile.version == 1 && profile.json.contains(#""name":"Ada""#))
        let state = try await fixture.check(ada.session.accessToken)
        #expect(state.account?.onboardingComplete == true)
        #expect(!state.requiredActions.contains(.completeOnboarding))
        #expect(try await fixture.signIn().account.onboardingComplete)
        let again = try await fixture.onboarding.completeOnboarding(.init(), context)
        #expect(again.written.isEmpty && again.account == done.account)
    }

    @Test("G-18: sign-ins say what a user still has to do")
    func requiredActions() async throws {
        let answer = try await fixture.auth.signInWithPassword(
            .init(email: "ada@example.org", password: .init(text: "Correct7Horse")),
            fixture.context())
        #expect(answer.requiredActions == [.verifyEmail, .completeProfile, .completeOnboarding])
        let guest = try await fixture.guests.signInAsGuest(.init(), fixture.context())
        #expect(guest.requiredActions == [.completeOnboarding])
        let signUp = try await fixture.auth.signUpWithPassword(
            .init(email: "eve@example.org", password: .init(text: "Correct7Horse")),
            fixture.context())
        #expect(signUp.requiredActions == [.verifyEmail, .completeProfile, .completeOnboarding])
    }

    @Test("G-18: reasons and violations are in the language of the call")
    func language() async throws {
        for (language, reason, rule) in [
            (nil, "Friends see it.", "From 13 on."),
            ("de-CH", "Freunde sehen ihn.", "Ab 13 Jahren."),
            ("fr", "Friends see it.", "From 13 on."),
        ] as [(String?, String, String)] {
            let context = fixture.context(language: language).bearing(ada.session.accessToken)
            let answer = try await fixture.onboarding.getOnboarding(.init(), context)
            #expect(answer.sections.first?.missing.first?.reason == reason)
            let draft = try await refusal { try await save("you", #"{"age":7}"#, in: context) }
            let document = try await refusal {
                try await fixture.write(#"{"name":"A","age":7}"#, to: "profile", in: context)
            }
            let completion = try await refusal {
                try await fixture.onboarding.completeOnboarding(.init(), context)
            }
            #expect(draft.fields == ["json.age"] && document.fields == ["write.json.age"])
            for error in [draft, document] {
                #expect(error.code == .invalidDocument)
                #expect(error.violations.map(\.rule) == ["range"])
                #expect(error.violations.map(\.userMessage) == [rule])
            }
            #expect(completion.code == .invalidDocument)
            #expect(completion.violations.first?.userMessage == reason)
        }
    }

    @Test("G-18: a guest goes the same way, and a collection for accounts is closed to guests")
    func guest() async throws {
        let guest = try await fixture.guests.signInAsGuest(.init(), fixture.context())
        let context = fixture.context().bearing(guest.session?.accessToken)
        #expect(try await save("you", #"{"name":"G"}"#, in: context)?.version == 1)
        let refused = try await refusal { try await fixture.write("{}", to: "orders", in: context) }
        #expect(refused.code == .accountRequired)
        _ = try await fixture.write("{}", to: "orders", in: self.context)
    }

    @Test("R-03: saving counts as a write and completing does not; a refused save counts too")
    func limits() async throws {
        _ = try await refusal { try await save("you", #"{"age":7}"#) }
        #expect(try fixture.inner.left(Self.writes, ada.account.accountId) == 59)
        for number in 1...57 {
            _ = try await save("you", "{\"name\":\"A\",\"age\":\(number + 13)}")
        }
        _ = try await fixture.onboarding.restartOnboarding(.init(), context)
        #expect(try await save("you", #"{"name":"A"}"#)?.version == 59)
        let refused = try await refusal { try await save("sleep", "{}") }
        #expect(refused.code == .tooManyRequests && refused.retryAfter == .seconds(60))
        let restart = try await refusal {
            try await fixture.onboarding.restartOnboarding(.init(), context)
        }
        #expect(restart.code == .tooManyRequests)
        fixture.time.advance(by: .seconds(60))
        _ = try await save("sleep", "{}")
        _ = try await fixture.onboarding.completeOnboarding(.init(), context)
        #expect(try fixture.inner.left(Self.writes, ada.account.accountId) == 59)
        #expect(
            try fixture.inner.left("document-work-by-account", ada.account.accountId) == 239,
            "a completion counts by its work only")
        #expect(
            try fixture.inner.left("profile-update-by-account", ada.account.accountId) == 10,
            "completion writes the profile")
    }
}
