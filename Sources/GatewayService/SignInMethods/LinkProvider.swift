import Contracts
import Messages
import RPC
import ServiceRuntime

extension SignInMethodsHandler {
    /// G-14: identify the caller's account → charge the limits → have the token verified and linked
    /// → refund the charge for the token. The identity service requires a recent proof, by the
    /// session's own token.
    /// - Throws: `auth/requires-recent-login`, `auth/provider-already-linked`,
    ///   `auth/credential-already-in-use`, `auth/invalid-provider-token`,
    ///   `auth/missing-or-invalid-nonce`, `auth/provider-unavailable`,
    ///   `auth/operation-not-allowed`, `auth/too-many-requests`, `auth/invalid-access-token`,
    ///   `auth/session-ended`, `auth/user-disabled`, `rpc/invalid-argument`.
    func linkProvider(
        _ request: GatewayV1.LinkProviderRequest, _ context: CallContext
    ) async throws -> GatewayV1.LinkProviderResponse {
        let onward = try context.onward(for: "LinkProvider")
        let origin = try Origin.of(request.device, context)
        let session = try await sessions.requiredSession(context)
        // Each refusal is written to the audit trail, and a valid token is not used up by it.
        let linked = try await limits.charging(
            .documentWrite(account: session.accountID), context
        ) {
            try await limits.countingProviderToken(
                .providerProof(
                    account: session.accountID, device: origin.deviceId,
                    caller: LimitedCaller(context)),
                context
            ) {
                try await identities.linkProvider(
                    IdentityV1.LinkProviderRequest(
                        accessToken: session.accessToken,
                        token: request.token, origin: origin),
                    onward)
            }
        }.answer
        return GatewayV1.LinkProviderResponse(account: linked.account)
    }
}
