import Contracts
import Messages
import RPC

extension ConsentsHandler {
    /// G-23: the privacy settings.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`.
    func getPrivacy(
        _ request: GatewayV1.GetPrivacyRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetPrivacyResponse {
        let answer = try await consents.getPrivacy(
            IdentityV1.GetPrivacyRequest(accessToken: try context.requiredAccessToken()),
            context.onward())
        return GatewayV1.GetPrivacyResponse(privacy: answer.privacy)
    }
}
