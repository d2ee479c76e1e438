import Contracts
import Messages
import RPC

extension DocumentsHandler {
    /// I-07: identify the caller's account → charge the limits → have the document removed.
    /// - Throws: `auth/document-conflict`, `auth/invalid-document`, `auth/too-many-requests`,
    ///   `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`,
    ///   `auth/idempotency-key-reused`, `rpc/invalid-argument`.
    func removeDocument(
        _ request: GatewayV1.RemoveDocumentRequest, _ context: CallContext
    ) async throws -> GatewayV1.RemoveDocumentResponse {
        let onward = try context.onward(for: "RemoveDocument")
        let origin = try Origin.of(nil, context)
        let base: IdentityV1.RemoveDocumentRequest.Base? =
            switch request.base {
            case .baseVersion(let version): .baseVersion(version)
            case nil: nil
            }
        let session = try await sessions.requiredSession(context)
        let (answer, _) = try await limits.charging(
            .documentWrite(account: session.accountID, collections: [request.collection]),
            context, chargedOnceFor: onward.idempotencyKey
        ) {
            try await documents.removeDocument(
                IdentityV1.RemoveDocumentRequest(
                    caller: IdentityV1.DocumentCaller(by: .accessToken(session.accessToken)),
                    collection: request.collection, name: request.name, origin: origin,
                    base: base),
                onward)
        }
        return GatewayV1.RemoveDocumentResponse(removed: answer.removed)
    }
}
