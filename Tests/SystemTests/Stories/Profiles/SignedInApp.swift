import Contracts
import JSON
import Messages
import RPC

/// An app on a person's device, in which they are signed in.
struct SignedInApp: Sendable {
    let backend: StoryBackend
    let person: Person
    let session: GatewayV1.Session?

    init(_ fixture: StoryFixture, _ person: Person, _ session: GatewayV1.Session?) {
        backend = fixture.backend
        self.person = person
        self.session = session
    }

    /// The context of a call in the session.
    /// - Parameters:
    ///   - key: its idempotency key; nil for none.
    ///   - language: the person's language; nil for English.
    func context(
        key: String? = nil, language: String? = nil, timeout: Duration = .seconds(10)
    ) -> CallContext {
        var context = backend.context(person, key: key, timeout: timeout)
            .bearing(session?.accessToken)
        context.metadata[Metadata.Key.acceptLanguage] = language
        return context
    }

    /// What CheckAuthState says.
    func state() async throws -> GatewayV1.CheckAuthStateResponse {
        try await backend.auth.checkAuthState(.init(), context())
    }

    // MARK: Onboarding

    /// The sections, what is missing, and where to resume.
    func onboarding(language: String? = nil) async throws -> GatewayV1.GetOnboardingResponse {
        try await backend.onboarding.getOnboarding(.init(), context(language: language))
    }

    /// Saves a section's draft.
    /// - Parameter version: the version that the app has seen; nil if it does not say.
    @discardableResult
    func save(
        _ section: String, _ json: String, screen: String = "", version: Int64? = nil,
        key: String? = nil
    ) async throws -> GatewayV1.OnboardingSection {
        let request = GatewayV1.SaveOnboardingSectionRequest(
            section: section, json: json, screen: screen, base: version.map { .baseVersion($0) })
        let answer = try await backend.onboarding.saveOnboardingSection(request, context(key: key))
        return answer.section ?? .init()
    }

    /// Saves all sections in order, as a person does who answers everything.
    func answerAll() async throws {
        for (section, json) in OnboardingAnswers.sections { try await save(section, json) }
    }

    /// Completes onboarding.
    @discardableResult
    func complete() async throws -> GatewayV1.CompleteOnboardingResponse {
        try await backend.onboarding.completeOnboarding(.init(), context())
    }

    /// Whether the account has completed onboarding.
    func hasCompleted() async throws -> Bool {
        try await backend.onboarding.hasCompletedOnboarding(.init(), context()).complete
    }

    // MARK: Documents

    /// A document, and its content.
    func read(
        _ collection: String, _ name: String = "main"
    ) async throws -> (document: GatewayV1.Document, content: JSONObject) {
        let answer = try await backend.documents.readDocument(
            .init(collection: collection, name: name), context())
        guard let document = answer.document,
            let content = JSONReader.object(in: Array(document.json.utf8))
        else { throw ClusterError(message: "a response without a document: \(answer)") }
        return (document, content)
    }

    /// Writes a document, and returns its new version.
    @discardableResult
    func write(
        _ collection: String, _ json: String, name: String = "main", merge: Bool = false,
        version: Int64? = nil, key: String? = nil
    ) async throws -> Int64 {
        let write = GatewayV1.DocumentWrite(
            collection: collection, name: name, json: json, merge: merge,
            base: version.map { .baseVersion($0) })
        let answer = try await backend.documents.writeDocument(
            .init(write: write), context(key: key))
        return answer.written?.version ?? 0
    }
}
