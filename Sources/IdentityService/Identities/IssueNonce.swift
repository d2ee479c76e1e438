import Messages
import RPC

extension IdentitiesHandler {
    /// Issues a nonce for one sign-in at a provider (G-05).
    /// - Throws: `auth/operation-not-allowed` if the provider is not configured.
    func issueNonce(
        _ request: IdentityV1.IssueNonceRequest, _ context: CallContext
    ) async throws -> IdentityV1.IssueNonceResponse {
        try tokens.nonce(forProvider: request.provider)
    }
}
