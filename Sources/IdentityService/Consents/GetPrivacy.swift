import Messages
import RPC

extension AccountConsentsHandler {
    /// The privacy settings, which are off until they are given (G-23).
    /// - Throws: as `caller(_:_:)`.
    func getPrivacy(
        _ request: IdentityV1.GetPrivacyRequest, _ context: CallContext
    ) async throws -> IdentityV1.GetPrivacyResponse {
        IdentityV1.GetPrivacyResponse(
            privacy: try await caller(request.accessToken, context).consents.privacy)
    }
}
