import Contracts
import Messages
import RPC

extension ProfileHandler {
    /// G-17: the profile of the caller's account.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`.
    func getProfile(
        _ request: GatewayV1.GetProfileRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetProfileResponse {
        let profile = try await profiles.getProfile(
            IdentityV1.GetProfileRequest(accessToken: try context.requiredAccessToken()),
            context.onward())
        return GatewayV1.GetProfileResponse(
            account: profile.account.map { GatewayV1.Account($0, photos) },
            photo: profile.photo.map { GatewayV1.Photo($0, photos) })
    }
}
