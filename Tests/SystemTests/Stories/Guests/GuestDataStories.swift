import Testing

extension SystemTests {
    /// The documents' stories about what a guest has saved, by HTTP: with a choice at each sign-in
    /// to an account, and little room, so that not everything fits.
    @Suite("The stories of guests' data, by HTTP", SharedGuestDataFixture())
    enum GuestDataStories {}
}

/// Gives a suite one fixture for all its stories, whose apps call by HTTP.
struct SharedGuestDataFixture: SuiteTrait, TestScoping {
    /// Documents that an account may have.
    static let documentsMax = 5

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing stories: @Sendable () async throws -> Void
    ) async throws {
        let settings = [
            "POSTERN_GUEST_DATA": "ask", "POSTERN_DOCUMENT_COUNT_MAX": "\(Self.documentsMax)",
        ]
        try await StoryFixture.with(settings: settings, byHTTP: true) { fixture in
            try await StoryFixture.$current.withValue(fixture) { try await stories() }
        }
    }
}
