import Contracts
import Messages
import RPC

extension ConsentsHandler {
    /// G-23: identify the caller's account → charge the limit → have the settings changed.
    /// - Throws: `auth/too-many-requests`, `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/user-disabled`.
    func setPrivacy(
        _ request: GatewayV1.SetPrivacyRequest, _ context: CallContext
    ) async throws -> GatewayV1.SetPrivacyResponse {
        let origin = try Origin.of(nil, context)
        let session = try await sessions.requiredSession(context)
        var change = IdentityV1.SetPrivacyRequest(
            accessToken: session.accessToken, origin: origin)
        if case .marketing(let isGiven) = request.newMarketing {
            change.newMarketing = .marketing(isGiven)
        }
        if case .analytics(let isGiven) = request.newAnalytics {
            change.newAnalytics = .analytics(isGiven)
        }
        let changed = change
        let (answer, _) = try await limits.charging(
            .documentWrite(account: session.accountID), context
        ) {
            try await consents.setPrivacy(changed, context.onward())
        }
        return GatewayV1.SetPrivacyResponse(privacy: answer.privacy)
    }
}
