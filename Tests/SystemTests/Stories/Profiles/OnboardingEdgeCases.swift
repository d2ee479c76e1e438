import Contracts
import Glibc
import JSON
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.ProfileStories {
    @Suite("D4 §9: edge cases of onboarding")
    struct OnboardingEdgeCases {
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        private func guest(_ number: Int) async throws -> SignedInApp {
            let ada = Person(number)
            return SignedInApp(fixture, ada, try await fixture.guest(ada).session)
        }

        @Test("D4 §9.1: an interrupted onboarding resumes at its screen, and can be restarted")
        func interruption() async throws {
            let app = try await guest(32_001)
            let (first, second) = (OnboardingAnswers.sections[0], OnboardingAnswers.sections[1])
            try await app.save(first.name, first.json)
            let screens = try await app.onboarding().sections[1].screens
            try await app.save(second.name, "{}", screen: screens[1])

            // The app was closed: it has its refresh token, and nothing in memory.
            let refreshed = try await fixture.backend.auth.refreshSession(
                .init(
                    refreshToken: app.session?.refreshToken ?? "",
                    device: app.person.gatewayDevice), fixture.backend.context(app.person))
            let reopened = SignedInApp(fixture, app.person, refreshed.session)
            let found = try await reopened.onboarding()
            #expect(found.resumeSection == second.name && found.resumeScreen == screens[1])
            #expect(found.sections.map(\.done).prefix(2) == [true, false], "the progress")
            #expect(try Self.draft(found.sections[0])["name"] == .string(OnboardingAnswers.name))

            _ = try await fixture.backend.onboarding.restartOnboarding(.init(), reopened.context())
            let restarted = try await reopened.onboarding()
            #expect(restarted.sections.allSatisfy { $0.version == 0 && !$0.done })
            #expect(restarted.resumeSection == first.name)
        }

        @Test("D4 §9.2: a save that failed by the network is retried, and counts once")
        func network() async throws {
            let app = try await guest(32_002)
            let (section, json) = OnboardingAnswers.sections[0]
            let identity = try #require(fixture.cluster.processes["postern-identity"])
            kill(identity, SIGSTOP)
            // Even if the test fails, the process must be able to receive the signal that stops the
            // cluster.
            defer { kill(identity, SIGCONT) }
            let error = try await refusal {
                try await fixture.backend.onboarding.saveOnboardingSection(
                    .init(section: section, json: json, base: .baseVersion(0)),
                    app.context(key: "save-32002-again-and-again", timeout: .seconds(2)))
            }
            #expect(error.code.entry.isRetryable && !error.userMessage.isEmpty, "\(error)")
            kill(identity, SIGCONT)
            // A conflict would be with its own first try.
            let saved = try await retried {
                try await app.save(section, json, version: 0, key: "save-32002-again-and-again")
            }
            #expect(saved.version == 1 && saved.done)
            #expect(try await app.onboarding().sections[0].version == 1)
        }

        @Test("D4 §9.3: a taken email is reported, and the guest keeps the onboarding so far")
        func duplicate() async throws {
            let (ada, other) = (Person(32_003), Person(32_903))
            let account = try await fixture.signUp(ada)
            let app = try await guest(32_003)
            let (section, json) = OnboardingAnswers.sections[0]
            try await app.save(section, json)
            let error = try await refusal {
                try await fixture.signUp(
                    ada, password: "Guests8Password",
                    accessToken: app.session?.accessToken ?? "")
            }
            #expect(error.code == .emailAlreadyInUse && error.code.entry.next == .signIn)
            #expect(try await app.onboarding().sections[0].done)
            // Another address; or the account that exists.
            let upgraded = try await fixture.signUp(
                other, accessToken: app.session?.accessToken ?? "")
            let again = SignedInApp(fixture, other, upgraded.session)
            #expect(try await again.onboarding().sections[0].done)
            #expect(try await fixture.signIn(ada).account?.accountId == account.account?.accountId)
        }

        @Test("D4 §9.5: what is missing is named with its reason, and defaults are offered")
        func incomplete() async throws {
            let app = try await guest(32_005)
            let (section, _) = OnboardingAnswers.sections[0]
            try await app.save(section, #"{"name":"Ada"}"#)
            let found = try await app.onboarding(language: "de").sections[0]
            #expect(!found.done)
            let age = try #require(found.missing.first { $0.field == "age" })
            #expect(!age.reason.isEmpty && found.screens.contains(age.screen))
            let english = try await app.onboarding().sections[0].missing
            #expect(english.first { $0.field == "age" }?.reason != age.reason)

            let error = try await refusal { try await app.complete() }
            #expect(error.code == .invalidDocument)
            let violation = try #require(error.violations.first { $0.field.hasSuffix("age") })
            #expect(violation.rule == DocumentViolation.required.rawValue)
            #expect(violation.sentence?.isEmpty == false)
            #expect(try await !app.hasCompleted())
            let nothing = try await refusal { try await app.read("profile") }
            #expect(nothing.code == .notFound, "no document is half-made")

            let outside = try await refusal { try await app.save(section, #"{"age":7}"#) }
            #expect(outside.code == .invalidDocument && outside.fields == ["json.age"])
            let drafts = try await app.onboarding().sections.map { try Self.draft($0) }
            #expect(drafts.contains { $0 != JSONObject() && $0["name"] == nil }, "defaults")
        }

        private static func draft(_ section: GatewayV1.OnboardingSection) throws -> JSONObject {
            try #require(JSONReader.object(in: Array(section.json.utf8)))
        }
    }
}
