import JSON
import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountOnboardingHandler {
    /// Saves the draft of a section (G-18): the fields that are given replace those of the draft,
    /// and null removes one. What is given must be valid; required fields may be missing.
    /// - Throws: `auth/document-conflict` with the current version; `auth/document-quota`;
    ///   `auth/invalid-document`; `auth/idempotency-key-reused`; `rpc/invalid-argument` for a
    ///   section or screen that the rules do not declare; as `call(_:_:)` and `owned(_:in:)`.
    func saveOnboardingSection(
        _ request: IdentityV1.SaveOnboardingSectionRequest, _ context: CallContext
    ) async throws -> IdentityV1.SaveOnboardingSectionResponse {
        let call = try await call(request.accessToken, context)
        let save = try SectionSave(request, documents.rules.value)
        let repeatable = try RepeatableCall(
            "SaveOnboardingSection", [Array(call.account.text.utf8)] + request.parts, context,
            hash: documents.keys.calls)
        // The draft that it is merged into can be a long document.
        let (section, isSaved) = try await store.write(
            about: [.account(call.account)], bulkBytes: DocumentText.bytesMax
        ) { transaction in
            let owned = try owned(call, in: transaction)
            let isRepeat = try transaction.storedResponse(of: repeatable) != nil
            if !isRepeat {
                try write(save, to: owned, transaction)
                try transaction.remember(repeatable, .init(account: call.account.key))
            }
            return (
                try SectionWithDraft(save.rules, of: owned, in: transaction), !isRepeat
            )
        }
        if isSaved { documents.watchers.changed(call.account) }
        return IdentityV1.SaveOnboardingSectionResponse(section: section.message(save.voice))
    }

    private func write(
        _ save: SectionSave, to owned: OwnedDocuments, _ transaction: Transaction
    ) throws {
        let key = OnboardingDraft.key(save.rules.name)
        let draft = try OnboardingDraft(owned.document(key, in: transaction))
        if let base = save.base, base != draft.version {
            throw ServiceError.documentConflict(draft.version, field: "base_version")
        }
        let text = OnboardingDraft.text(
            fields: draft.fields.merging(save.fields), screen: save.screen)
        guard let text else { throw ServiceError.invalidDocument(.json, field: "json") }
        _ = try owned.write(
            [DocumentChange(key: key, former: draft.document, json: text)],
            within: DocumentQuota(isGuest: owned.owner.isGuest, documents.settings),
            in: transaction)
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
        _ request: IdentityV1.SaveOnboardingSectionRequest, _ rules: DocumentRules
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
        voice = AcceptedLanguages(request.acceptLanguage).best ?? .english
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

extension IdentityV1.SaveOnboardingSectionRequest {
    /// What makes two requests the same, for repeats.
    fileprivate var parts: [[UInt8]] {
        var version = ""
        if case .baseVersion(let number) = base { version = String(number) }
        return [section, json, version, screen].map { Array($0.utf8) }
    }
}
