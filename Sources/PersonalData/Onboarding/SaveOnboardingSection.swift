import IdentityService
import JSON
import Messages
import RPC
import ServiceRuntime
import Storage

extension OnboardingHandler {
    /// Saves the draft of a section (G-18): the fields that are given replace those of the draft,
    /// and null removes one. What is given must be valid; required fields may be missing.
    func saveOnboardingSection(
        _ request: GatewayV1.SaveOnboardingSectionRequest, _ call: AccountCall
    ) async throws -> GatewayV1.SaveOnboardingSectionResponse {
        let save = try SectionSave(request, documents.rules.value, call.voice)
        let (key, sent) = (OnboardingDraft.key(save.rules.name), request.json.utf8.count)
        let saved = try await documents.change(call) { session, moment -> Saved? in
            try session.storedResponse(of: call.repeatable, at: moment).map { _ in .before }
        } read: { session, owner -> DocumentReading<DocumentRow?, Saved> in
            let row = try draftRow(key, of: owner.account, in: session)
            let version = row?.state.currentVersion ?? 0
            if let base = save.base, base != version {
                throw ServiceError.documentConflict(version, field: "base_version")
            }
            return .found(row, bytes: max(sent, Int(row?.bytes ?? 0)))
        } prepare: { owned, row -> PreparedDocuments<MergedDraft> in
            let merged = try MergedDraft(save, into: OnboardingDraft(row.map(owned.open)))
            let change = DocumentChange(key: key, former: row?.state, json: merged.text)
            return PreparedDocuments(documents: [try owned.sealed(change)], detail: merged)
        } write: { prepared, owner, transaction in
            let written = try transaction.write(
                prepared.documents, of: owner,
                within: DocumentQuota(isGuest: owner.isGuest, documents.settings))
            try transaction.remember(call.repeatable, .init(account: owner.account.key))
            return .written(prepared.detail, version: written.first?.version ?? 0)
        }
        let section = try await section(save, key, saved, call)
        if case .written = saved { documents.watchers.changed(call.account) }
        return GatewayV1.SaveOnboardingSectionResponse(section: section.message(save.voice))
    }

    private func draftRow(
        _ key: DocumentKey, of account: AccountID, in session: some SQLSession
    ) throws -> DocumentRow? {
        try session.documentRow(
            documents.keys.documents.nameKey(key, of: account), of: account)
    }

    /// The section after the call: at a repeat as it is now.
    private func section(
        _ save: SectionSave, _ key: DocumentKey, _ saved: Saved, _ call: AccountCall
    ) async throws -> SectionWithDraft {
        if case .written(let merged, let version) = saved {
            return SectionWithDraft(save.rules, merged.draft(key, version: version))
        }
        let (owner, row) = try await store.read { session in
            (
                try documents.owner(call, in: session),
                try draftRow(key, of: call.account, in: session)
            )
        }
        return try await offLoop(bytes: Int(row?.bytes ?? 0)) {
            let draft = try OnboardingDraft(row.map(documents.opened(owner).open))
            return SectionWithDraft(save.rules, draft)
        }
    }
}

/// What a call did.
private enum Saved: Sendable {
    case written(MergedDraft, version: Int64)
    /// It is a repeat.
    case before
}

/// A draft with the fields of a request.
private struct MergedDraft: Sendable {
    let fields: JSONObject
    let screen: String
    /// As it is stored.
    let text: String

    /// - Throws: `auth/invalid-document` if it is too long together.
    init(_ save: SectionSave, into draft: OnboardingDraft) throws(ServiceError) {
        fields = draft.fields.merging(save.fields)
        screen = save.screen
        guard let text = OnboardingDraft.text(fields: fields, screen: screen) else {
            throw .invalidDocument(.json, field: "json")
        }
        self.text = text
    }

    func draft(_ key: DocumentKey, version: Int64) -> OnboardingDraft {
        OnboardingDraft(fields: fields, screen: screen, version: version)
    }
}

/// A request to save a section, checked as far as that needs no store.
private struct SectionSave: Sendable {
    let rules: OnboardingSectionRules
    let fields: JSONObject
    /// The version that the caller has seen; nil to write over any.
    let base: Int64?
    let screen: String
    let voice: Voice

    /// - Throws: `rpc/invalid-argument` with the field; `auth/invalid-document`.
    init(
        _ request: GatewayV1.SaveOnboardingSectionRequest, _ rules: DocumentRules,
        _ voice: Voice
    ) throws(ServiceError) {
        guard let section = rules.onboarding?.section(request.section) else {
            throw ServiceError(.invalidArgument, fields: ["section"])
        }
        guard
            request.screen.isEmpty || section.screens.contains(where: { $0.name == request.screen })
        else { throw ServiceError(.invalidArgument, fields: ["screen"]) }
        guard let fields = DocumentText.object(in: request.json) else {
            throw .invalidDocument(.json, field: "json")
        }
        base = if case .baseVersion(let version) = request.base { version } else { nil }
        guard base ?? 0 >= 0 else { throw ServiceError(.invalidArgument, fields: ["base_version"]) }
        self.rules = section
        self.fields = fields
        screen = request.screen
        self.voice = voice
        try check()
    }

    /// A field that the rules have no more can still be removed.
    private func check() throws(ServiceError) {
        let given = JSONObject(unique: fields.members.filter { $0.value != .null })
        let violations = rules.violations(of: given, voice: voice)
        guard violations.isEmpty else {
            throw .invalidDocument(violations.map { $0.inside("json") })
        }
    }
}
