import Messages
import RPC

extension IdentitiesHandler {
    /// Issues a nonce for one sign-in at a provider (G-05). Nothing is stored until it is used, so
    /// there is no limit.
    func issueNonce(
        _ request: GatewayV1.IssueNonceRequest, _ context: CallContext
    ) async throws -> GatewayV1.IssueNonceResponse {
        try context.requireGateway()
        return try tokens.nonce(forProvider: request.provider)
    }
}
