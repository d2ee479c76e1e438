import Messages
import RPC

extension IdentitiesHandler {
    /// Issues a nonce for one sign-in at a provider (G-05). Nothing is stored until it is used, so
    /// there is no limit.
    /// - Throws: `rpc/permission-denied` for a caller that is not the gateway;
    ///   `auth/operation-not-allowed` if the provider is not configured.
    func issueNonce(
        _ request: GatewayV1.IssueNonceRequest, _ context: CallContext
    ) async throws -> GatewayV1.IssueNonceResponse {
        try context.requireGateway()
        return try tokens.nonce(forProvider: request.provider)
    }
}
