import Messages
import RPC

extension AccountConsentsHandler {
    /// The privacy settings, which are off until they are given (G-23).
    /// - Throws: as `given(_:_:)`.
    func getPrivacy(
        _ request: IdentityV1.GetPrivacyRequest, _ context: CallContext
    ) async throws -> IdentityV1.GetPrivacyResponse {
        IdentityV1.GetPrivacyResponse(
            privacy: try await given(request.accessToken, context).privacy)
    }
}
