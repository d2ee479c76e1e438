import Contracts
import Messages
import RPC

extension ProvidersHandler {
    /// G-05: a nonce for one dialog of a provider. Nothing is stored until it is used, so there is
    /// no limit.
    /// - Throws: `auth/operation-not-allowed` for a provider that is not set up.
    func issueNonce(
        _ request: GatewayV1.IssueNonceRequest, _ context: CallContext
    ) async throws -> GatewayV1.IssueNonceResponse {
        let answer = try await identities.issueNonce(
            IdentityV1.IssueNonceRequest(provider: request.provider), context.onward())
        return GatewayV1.IssueNonceResponse(
            nonce: answer.nonce, providerNonce: answer.providerNonce,
            expiresAtMs: answer.expiresAtMs)
    }
}
