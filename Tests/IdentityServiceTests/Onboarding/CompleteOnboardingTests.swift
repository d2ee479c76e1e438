import Messages
import ServiceRuntime
import Storage
import Testing

@testable import IdentityService

@Suite("G-18: a completion writes documents and flag, all or none", .timeLimit(.minutes(1)))
struct CompleteOnboardingTests {
    @Test("the fields are written to their targets, beside what is there, with the flag")
    func complete() async throws {
        let fixture = try await OnboardingFixture()
        try await fixture.write("profile", #"{"colour":"red","name":"Eve"}"#)
        try await fixture.saveAll()
        let answer = try await fixture.complete()
        #expect(answer.written.map(\.collection) == ["profile", "goals"])
        #expect(answer.written.map(\.version) == [2, 1])
        #expect(answer.written.allSatisfy { $0.name == "main" })
        let profile = try await fixture.read("profile")
        #expect(
            profile?.json
                == #"{"colour":"red","name":"Ada L.","units":"metric","born":"2000-02-29"}"#)
        #expect(try await fixture.read("goals")?.json == #"{"target":7}"#)
        let account = try #require(answer.account)
        #expect(account.onboardingComplete && account.displayName == "Ada L.")
        let current = try await fixture.current()
        #expect(current.requiredActions == [.verifyEmail])
        #expect(current.account == account)
        #expect(try await fixture.get().complete)
        #expect(try await fixture.identity.audited("onboarding.completed") == 1)
    }

    @Test("what is missing is named with its section, and nothing is written")
    func missing() async throws {
        let fixture = try await OnboardingFixture()
        try await fixture.save("aims", #"{"note":"slowly"}"#)
        for (language, reason) in [
            ("en", "We greet you by it."), ("de", "Wir begrüßen dich damit."),
        ] {
            let error = try await refusal { try await fixture.complete(language) }
            #expect(error.code == .invalidDocument)
            #expect(
                error.violations == [
                    .init(field: "about.name", rule: "required", sentence: reason),
                    .init(field: "aims.target", rule: "required"),
                ])
        }
        #expect(try await fixture.read("goals") == nil)
        #expect(try await !fixture.get().complete)
        #expect(try await fixture.identity.audited("onboarding.completed") == 0)
    }

    @Test("a completion that is refused, or is a repeat, does not wait for other writes")
    func readsOnly() async throws {
        let fixture = try await OnboardingFixture()
        let other = try await OnboardingFixture()
        try await other.saveAll()
        let done = try await other.complete()
        let writer = HeldWriter()
        async let first: Void = fixture.identity.store.write(about: []) { _ in writer.hold() }
        async let second: Void = other.identity.store.write(about: []) { _ in writer.hold() }
        await writer.untilHeld(2)
        #expect(try await refusal { try await fixture.complete() }.code == .invalidDocument)
        let again = try await other.complete()
        #expect(again.written.isEmpty && again.account == done.account)
        writer.release()
        _ = try await (first, second)
    }

    @Test("if one document is refused, none is written")
    func atomic() async throws {
        let fixture = try await OnboardingFixture()
        try await fixture.write("profile", #"{"name":"Ada","born":"1999-01-01"}"#)
        try await fixture.saveAll()
        let error = try await refusal { try await fixture.complete() }
        #expect(error.code == .invalidDocument)
        #expect(error.violations.map(\.field) == ["about.birthday"])
        #expect(error.violations.map(\.rule) == ["read-only"])
        #expect(try await fixture.read("goals") == nil)
        #expect(try await fixture.read("profile")?.version == 1)
        #expect(try await !fixture.get().complete)
        #expect(try await fixture.identity.audited("onboarding.completed") == 0)
    }

    @Test("a repeat changes nothing, and does not undo what was written since")
    func repeated() async throws {
        let fixture = try await OnboardingFixture()
        try await fixture.saveAll()
        _ = try await fixture.complete()
        try await fixture.write("goals", #"{"target":9}"#)
        let again = try await fixture.complete()
        #expect(again.written.isEmpty && again.account?.onboardingComplete == true)
        #expect(try await fixture.read("goals")?.json == #"{"target":9}"#)
        #expect(try await fixture.identity.audited("onboarding.completed") == 1)
    }

    @Test("after a draft has changed, a completion writes what differs")
    func changed() async throws {
        let fixture = try await OnboardingFixture()
        try await fixture.saveAll()
        _ = try await fixture.complete()
        try await fixture.save("aims", #"{"target":8}"#)
        let again = try await fixture.complete()
        #expect(again.written.map(\.collection) == ["goals"])
        #expect(try await fixture.read("goals")?.json == #"{"target":8}"#)
        #expect(try await fixture.identity.audited("onboarding.completed") == 2)
        #expect(try await fixture.complete().written.isEmpty)
    }

    @Test("a guest completes onboarding, unless a collection needs an account")
    func guest() async throws {
        let fixture = try await OnboardingFixture(isGuest: true)
        #expect(try await fixture.current().requiredActions == [.completeOnboarding])
        try await fixture.saveAll()
        let account = try #require(try await fixture.complete().account)
        #expect(account.isGuest && account.onboardingComplete)
        #expect(try await fixture.current().requiredActions.isEmpty)

        let needing = try await OnboardingFixture(
            rules: OnboardingFixture.rules.replacing(
                "goals:\n", with: "goals:\n    needs: account\n"),
            isGuest: true)
        try await needing.saveAll()
        let error = try await refusal { try await needing.complete() }
        #expect(error.code == .accountRequired)
        #expect(try await needing.read("profile") == nil)
    }

    @Test("D0: without sections a completion sets the flag")
    func noSections() async throws {
        let fixture = try await OnboardingFixture(rules: nil)
        #expect(try await !fixture.current().account.onboardingComplete)
        let answer = try await fixture.complete()
        #expect(answer.written.isEmpty && answer.account?.onboardingComplete == true)
        #expect(try await fixture.complete().account?.onboardingComplete == true)
        #expect(try await fixture.identity.audited("onboarding.completed") == 1)
    }
}
