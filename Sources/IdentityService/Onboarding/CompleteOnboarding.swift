import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountOnboardingHandler {
    /// Completes onboarding (G-18): reads all drafts, checks them, writes the documents and the
    /// flag, in one transaction. Without declared sections it sets the flag only.
    ///
    /// The drafts stay: a field without a target is in its draft alone. A repeat after a completion
    /// changes nothing unless a draft has changed, so it does not undo what was written to the
    /// documents since.
    /// - Throws: `auth/invalid-document` with what is missing or invalid, as `section.field`;
    ///   `auth/document-quota`; `auth/account-required`, `auth/email-not-verified`,
    ///   `auth/consent-required` as the rules of a collection need; as `call(_:_:)` and `owned(_:in:)`.
    func completeOnboarding(
        _ request: IdentityV1.CompleteOnboardingRequest, _ context: CallContext
    ) async throws -> IdentityV1.CompleteOnboardingResponse {
        let call = try await call(request.accessToken, context)
        let origin = CallOrigin(request.origin, hash: documents.keys.audit)
        let voice = AcceptedLanguages(request.acceptLanguage).best ?? .english
        // The drafts are read in the transaction; this is the length of one long document.
        let done = try await store.write(
            about: [.account(call.account)], bulkBytes: DocumentText.bytesMax
        ) { transaction in
            let written = try complete(
                owned(call, in: transaction), from: origin, voice, transaction)
            guard let row = try transaction.account(call.account) else {
                throw ServiceError(.internalError, detail: "an account with documents is missing")
            }
            return (row: row, facts: try answers.facts(row, in: transaction), written: written)
        }
        if !done.written.isEmpty { documents.watchers.changed(call.account) }
        return IdentityV1.CompleteOnboardingResponse(
            account: try answers.account(
                done.row, done.facts, lastSignInAt: done.row.lastSignInAt),
            written: done.written)
    }

    private func complete(
        _ owned: OwnedDocuments, from origin: CallOrigin, _ voice: Voice,
        _ transaction: Transaction
    ) throws -> [IdentityV1.Document] {
        let account = owned.owner.account
        let rules = documents.rules.value
        let sections = try rules.onboarding?.drafted(of: owned, in: transaction) ?? []
        let record = try transaction.onboardingRecord(account)
        let positions = sections.compactMap(\.draft.document?.position)
        guard record?.isRepeat(draftPositions: positions) == false else { return [] }
        let completion = OnboardingCompletion(rules: rules, sections: sections, voice: voice)
        for collection in completion.collections {
            try documents.require(collection.need, of: owned.owner, in: transaction)
        }
        let changes = try completion.changes(of: owned, in: transaction)
        let written = try owned.write(
            changes,
            within: DocumentQuota(isGuest: owned.owner.isGuest, documents.settings),
            in: transaction)
        // Positions are times, or a little later; so each later save of a draft has a higher one.
        let position = try transaction.documentOwner(account)?.totals.position ?? 0
        try transaction.setOnboarded(
            account, at: max(transaction.at, Timestamp(milliseconds: position)))
        try transaction.audit(.onboardingCompleted, account, from: origin)
        return written
    }
}
