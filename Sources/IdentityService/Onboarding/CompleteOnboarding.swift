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
    ///   `auth/consent-required` as the rules of a collection need; as `call(_:_:)` and
    ///   `owned(_:in:)`.
    func completeOnboarding(
        _ request: IdentityV1.CompleteOnboardingRequest, _ context: CallContext
    ) async throws -> IdentityV1.CompleteOnboardingResponse {
        let call = try await call(request.accessToken, context)
        let origin = CallOrigin(request.origin, hash: documents.keys.audit)
        let voice = AcceptedLanguages(request.acceptLanguage).best ?? .english
        // No limit counts these calls. So one that is refused or changes nothing is answered by
        // reading: all other writes would wait for it.
        let repeated = try await store.read { session in
            try changes(of: owned(call, in: session), voice, in: session) == nil
                ? completed(call.account, [], in: session) : nil
        }
        if let repeated { return try answer(repeated) }
        // The drafts are read in the transaction; this is the length of one long document.
        let done = try await store.write(
            about: [.account(call.account)], bulkBytes: DocumentText.bytesMax
        ) { transaction in
            let written = try complete(
                owned(call, in: transaction), from: origin, voice, transaction)
            return try completed(call.account, written, in: transaction)
        }
        if !done.written.isEmpty { documents.watchers.changed(call.account) }
        return try answer(done)
    }

    private func completed(
        _ account: AccountID, _ written: [IdentityV1.Document], in session: some SQLSession
    ) throws -> CompletedOnboarding {
        guard let row = try session.account(account) else {
            throw ServiceError(.internalError, detail: "an account with documents is missing")
        }
        return CompletedOnboarding(
            row: row, facts: try answers.facts(row, in: session), written: written)
    }

    private func answer(
        _ done: CompletedOnboarding
    ) throws -> IdentityV1.CompleteOnboardingResponse {
        IdentityV1.CompleteOnboardingResponse(
            account: try answers.account(
                done.row, done.facts, lastSignInAt: done.row.lastSignInAt),
            written: done.written)
    }

    private func complete(
        _ owned: OwnedDocuments, from origin: CallOrigin, _ voice: Voice,
        _ transaction: Transaction
    ) throws -> [IdentityV1.Document] {
        let account = owned.owner.account
        guard let changes = try changes(of: owned, voice, in: transaction) else { return [] }
        let written = try owned.write(
            changes,
            within: DocumentQuota(isGuest: owned.owner.isGuest, documents.settings),
            in: transaction)
        let position = try transaction.documentOwner(account)?.totals.position ?? 0
        try transaction.setOnboarded(
            account,
            at: OnboardingRecord.completionTime(at: transaction.at, position: position))
        try transaction.audit(.onboardingCompleted, account, from: origin)
        return written
    }

    /// The documents to write; nil for a repeat.
    private func changes(
        of owned: OwnedDocuments, _ voice: Voice, in session: some SQLSession
    ) throws -> [DocumentChange]? {
        let rules = documents.rules.value
        let sections = try rules.onboarding?.withDrafts(of: owned, in: session) ?? []
        let positions = sections.compactMap(\.draft.document?.position)
        // The account was there when `owned` was read, in the same transaction or read.
        guard let record = try session.onboardingRecord(owned.owner.account),
            !record.isRepeat(draftPositions: positions)
        else { return nil }
        let completion = OnboardingCompletion(rules: rules, sections: sections, voice: voice)
        for collection in completion.collections {
            try documents.require(collection.need, of: owned.owner, in: session)
        }
        return try completion.changes(of: owned, in: session)
    }
}

/// An account after its completion, and what that has written.
private struct CompletedOnboarding: Sendable {
    let row: AccountRow
    let facts: AccountFacts
    let written: [IdentityV1.Document]
}
