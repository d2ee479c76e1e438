import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountOnboardingHandler {
    /// Returns the sections with their drafts, what is missing and why, and where to resume (G-18).
    /// - Throws: as `call(_:_:)` and `owned(_:in:)`.
    func getOnboarding(
        _ request: IdentityV1.GetOnboardingRequest, _ context: CallContext
    ) async throws -> IdentityV1.GetOnboardingResponse {
        let call = try await call(request.accessToken, context)
        let (sections, isComplete) = try await store.read { session in
            let owned = try owned(call, in: session)
            guard let row = try session.account(call.account) else {
                throw ServiceError(.invalidAccessToken)
            }
            return (
                try documents.rules.value.onboarding?.drafted(of: owned, in: session)
                    ?? [],
                try answers.facts(row, in: session).isOnboarded
            )
        }
        let voice = AcceptedLanguages(request.acceptLanguage).best ?? .english
        let place = ResumeRule.place(sections.map(ResumeRule.Section.init))
        return IdentityV1.GetOnboardingResponse(
            sections: sections.map { $0.message(voice) }, resumeSection: place.section,
            resumeScreen: place.screen, complete: isComplete)
    }
}

extension ResumeRule.Section {
    fileprivate init(_ section: DraftedSection) {
        self.init(
            name: section.rules.name, isDone: section.isDone, screen: section.draft.screen,
            savedAt: section.draft.version > 0 ? section.draft.document?.position : nil)
    }
}
