import Contracts
import Messages
import RPC

extension DocumentsHandler {
    /// I-07: one document of the caller's account.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`,
    ///   `rpc/not-found`, `rpc/invalid-argument`.
    func readDocument(
        _ request: GatewayV1.ReadDocumentRequest, _ context: CallContext
    ) async throws -> GatewayV1.ReadDocumentResponse {
        let answer = try await documents.readDocument(
            IdentityV1.ReadDocumentRequest(
                caller: IdentityV1.DocumentCaller(
                    by: .accessToken(try context.requiredAccessToken())),
                collection: request.collection, name: request.name),
            context.onward())
        return GatewayV1.ReadDocumentResponse(document: answer.document)
    }
}
