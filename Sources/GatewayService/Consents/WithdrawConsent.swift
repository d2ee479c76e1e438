import Contracts
import Messages
import RPC

extension ConsentsHandler {
    /// G-23: identify the caller's account → charge the limit → have the consent withdrawn.
    /// - Throws: `auth/too-many-requests`, `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/user-disabled`, `rpc/invalid-argument`.
    func withdrawConsent(
        _ request: GatewayV1.WithdrawConsentRequest, _ context: CallContext
    ) async throws -> GatewayV1.WithdrawConsentResponse {
        let origin = try Origin.of(nil, context)
        let session = try await sessions.requiredSession(context)
        let (answer, _) = try await limits.charging(
            .documentWrite(account: session.accountID), context
        ) {
            try await consents.withdrawConsent(
                IdentityV1.WithdrawConsentRequest(
                    accessToken: session.accessToken,
                    kind: request.kind,
                    origin: origin),
                context.onward())
        }
        return GatewayV1.WithdrawConsentResponse(consents: answer.consents)
    }
}
