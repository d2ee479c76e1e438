import Contracts
import Messages
import RPC

extension ConsentsHandler {
    /// G-23: identify the caller's account → charge the limit → have the versions compared and
    /// recorded.
    /// - Throws: `auth/consent-required`, `auth/operation-not-allowed`, `auth/too-many-requests`,
    ///   `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`.
    func acceptTerms(
        _ request: GatewayV1.AcceptTermsRequest, _ context: CallContext
    ) async throws -> GatewayV1.AcceptTermsResponse {
        let origin = try Origin.of(nil, context)
        let session = try await sessions.requiredSession(context)
        let (answer, _) = try await limits.charging(
            .documentWrite(account: session.accountID), context
        ) {
            try await consents.acceptTerms(
                IdentityV1.AcceptTermsRequest(
                    accessToken: session.accessToken, termsVersion: request.termsVersion,
                    privacyVersion: request.privacyVersion, origin: origin),
                context.onward())
        }
        return GatewayV1.AcceptTermsResponse(consents: answer.consents)
    }
}
