import Foundation
import Testing

extension SystemTests {
    /// The documents' stories about profile, documents and onboarding, by HTTP: with the example of
    /// a rules file, in which an app asks 22 screens in five sections (D4 3.2).
    @Suite("The stories of profile and onboarding, by HTTP", SharedProfileFixture())
    enum ProfileStories {}
}

/// Gives a suite one fixture for all its stories, whose apps call by HTTP.
struct SharedProfileFixture: SuiteTrait, TestScoping {
    /// The backend that may write documents of any account.
    static let writer = "shop"
    /// Settings by which the programs have the example's rules.
    static let settings = [
        "POSTERN_RULES_FILE": OnboardingAnswers.rulesFile, "POSTERN_DISPLAY_NAME": "required",
        "POSTERN_DOCUMENT_WRITERS": writer,
    ]

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing stories: @Sendable () async throws -> Void
    ) async throws {
        try await StoryFixture.with(settings: Self.settings, byHTTP: true) { fixture in
            try await StoryFixture.$current.withValue(fixture) { try await stories() }
        }
    }
}
