import Messages
import RPC
import ServiceRuntime
import Storage

extension AccountOnboardingHandler {
    /// Removes all drafts (G-18), also those of sections that the rules have no more. What a
    /// completion has written stays, and so does the flag.
    /// - Throws: as `call(_:_:)` and `owned(_:in:)`.
    func restartOnboarding(
        _ request: IdentityV1.RestartOnboardingRequest, _ context: CallContext
    ) async throws -> IdentityV1.RestartOnboardingResponse {
        let call = try await call(request.accessToken, context)
        let origin = CallOrigin(request.origin, hash: documents.keys.audit)
        let removed = try await store.write(about: [.account(call.account)]) { transaction in
            let owned = try owned(call, in: transaction)
            let drafts = try owned.drafts(in: transaction)
            guard !drafts.isEmpty else { return 0 }
            try owned.remove(drafts, in: transaction)
            try transaction.audit(.onboardingRestarted, call.account, from: origin)
            return drafts.count
        }
        if removed > 0 { documents.watchers.changed(call.account) }
        return IdentityV1.RestartOnboardingResponse()
    }
}

extension OwnedDocuments {
    /// All documents of the collection `onboarding`.
    fileprivate func drafts(in session: some SQLSession) throws -> [StoredDocument] {
        var drafts: [StoredDocument] = []
        var selection = DocumentSelection(
            collectionKey: collectionKey(DocumentRules.onboardingName))
        while true {
            let page = try open(session.documentPage(selection, of: owner.account))
            drafts += page.documents
            guard page.hasMore, let last = page.documents.last else { return drafts }
            selection.after = last.position
        }
    }
}
