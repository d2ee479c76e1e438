import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

extension OnboardingHandler {
    /// Removes all drafts (G-18), also those of sections that the rules have no more. What a
    /// completion has written stays, and so does the flag.
    func restartOnboarding(
        _ request: GatewayV1.RestartOnboardingRequest, _ call: AccountCall
    ) async throws -> GatewayV1.RestartOnboardingResponse {
        let isRemoved = try await documents.change(call) { _, _ -> Bool? in
            nil
        } read: { session, owner -> DocumentReading<[DocumentRow], Bool> in
            let rows = try draftRows(of: owner.account, in: session)
            return rows.isEmpty ? .answered(false) : .found(rows, bytes: rows.bytes)
        } prepare: { owned, rows -> PreparedDocuments<Void> in
            PreparedDocuments(
                documents: try await rows.inTurns { try owned.removal(of: owned.open($0)) },
                detail: ())
        } write: { prepared, owner, transaction in
            try transaction.remove(prepared.documents, of: owner)
            try transaction.audit(.onboardingRestarted, owner.account, from: call.origin)
            return true
        }
        if isRemoved { documents.watchers.changed(call.account) }
        return GatewayV1.RestartOnboardingResponse()
    }

    /// The rows of all documents of the collection `onboarding`.
    private func draftRows(
        of account: AccountID, in session: any SQLSession
    ) throws -> [DocumentRow] {
        var rows: [DocumentRow] = []
        var selection = DocumentSelection(
            collectionKey: documents.keys.documents.collectionKey(
                DocumentRules.onboardingName, of: account))
        while true {
            let page = try session.documentPage(selection, of: account)
            rows += page.rows
            guard page.hasMore, let last = page.rows.last else { return rows }
            selection.after = last.position
        }
    }
}
