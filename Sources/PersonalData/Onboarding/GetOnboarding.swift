import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension OnboardingHandler {
    /// Returns the sections with their drafts, what is missing and why, and where to resume (G-18).
    func getOnboarding(
        _ request: GatewayV1.GetOnboardingRequest, _ call: AccountCall
    ) async throws -> GatewayV1.GetOnboardingResponse {
        let rules = documents.rules.value.onboarding
        let (owner, rows, isComplete) = try await store.read { session in
            let owner = try documents.owner(call, in: session)
            guard let row = try session.account(call.account) else {
                throw ServiceError(.invalidAccessToken)
            }
            return (
                owner,
                try rules?.draftRows(of: call.account, documents.keys.documents, in: session) ?? [],
                try answers.facts(row, in: session).isOnboarded
            )
        }
        let sections = try await offLoop(bytes: rows.compactMap(\.self).bytes) {
            try await rules?.withDrafts(rows, of: documents.opened(owner)) ?? []
        }
        let place = ResumeRule.place(sections.map(ResumeRule.Section.init))
        return GatewayV1.GetOnboardingResponse(
            sections: sections.map { $0.message(call.voice) }, resumeSection: place.section,
            resumeScreen: place.screen, complete: isComplete)
    }
}

/// Where a person resumes onboarding (G-18):
///
///     saved last      section to resume at
///     none            the first that is not done
///     not done        that one
///     done            the next one that is not done, after the last section from the first on
///     all are done    none
///
/// The screen is the one that the section's last save named.
enum ResumeRule {
    /// What counts of a section.
    struct Section: Hashable, Sendable {
        let name: String
        let isDone: Bool
        /// The screen of its last save; empty if none was named.
        let screen: String
        /// The position of its last save; nil if it was not saved.
        let savedAt: Int64?
    }

    /// The section and the screen to resume at; both empty if all are done.
    /// - Parameter sections: All sections, in order.
    static func place(_ sections: [Section]) -> (section: String, screen: String) {
        let last = sections.indices.filter { sections[$0].savedAt != nil }
            .max { (sections[$0].savedAt ?? 0) < (sections[$1].savedAt ?? 0) }
        let start = last ?? 0
        let inOrder = sections[start...] + sections[..<start]
        guard let next = inOrder.first(where: { !$0.isDone }) else { return ("", "") }
        return (next.name, next.screen)
    }
}

extension ResumeRule.Section {
    fileprivate init(_ section: SectionWithDraft) {
        self.init(
            name: section.rules.name, isDone: section.isDone, screen: section.draft.screen,
            savedAt: section.draft.version > 0 ? section.draft.position : nil)
    }
}
