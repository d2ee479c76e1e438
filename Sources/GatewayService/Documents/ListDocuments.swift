import Contracts
import Messages
import RPC

extension DocumentsHandler {
    /// I-07: a page of the documents of the caller's account.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`,
    ///   `rpc/invalid-argument`.
    func listDocuments(
        _ request: GatewayV1.ListDocumentsRequest, _ context: CallContext
    ) async throws -> GatewayV1.ListDocumentsResponse {
        let list = try await documents.listDocuments(
            IdentityV1.ListDocumentsRequest(
                caller: IdentityV1.DocumentCaller(
                    by: .accessToken(try context.requiredAccessToken())),
                collection: request.collection, withJson: request.withJson,
                pageToken: request.pageToken),
            context.onward())
        return GatewayV1.ListDocumentsResponse(list)
    }
}
