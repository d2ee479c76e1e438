import Messages
import RPC

extension ConsentsHandler {
    /// The privacy settings, which are off until they are given (G-23).
    func getPrivacy(
        _ request: GatewayV1.GetPrivacyRequest, _ call: AccountCall
    ) async throws -> GatewayV1.GetPrivacyResponse {
        GatewayV1.GetPrivacyResponse(privacy: try await caller(call).consents.privacy)
    }
}
