import Contracts
import Messages
import RPC

extension DocumentsHandler {
    /// I-07: identify the caller's account → charge the limits → have the documents checked and
    /// written, all or none. Identity resolves the access token itself, so a compromised gateway
    /// writes no documents but those of people who call through it.
    /// - Throws: `auth/document-conflict`, `auth/document-quota`, `auth/invalid-document`,
    ///   `auth/account-required`, `auth/email-not-verified`, `auth/too-many-requests`,
    ///   `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`,
    ///   `auth/idempotency-key-reused`, `rpc/invalid-argument`.
    func writeDocuments(
        _ request: GatewayV1.WriteDocumentsRequest, _ context: CallContext
    ) async throws -> GatewayV1.WriteDocumentsResponse {
        let onward = try context.onward(for: "WriteDocuments")
        return GatewayV1.WriteDocumentsResponse(
            written: try await write(request.writes, context, onward))
    }
}
