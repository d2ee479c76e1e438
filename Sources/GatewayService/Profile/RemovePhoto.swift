import Contracts
import Messages
import RPC

extension ProfileHandler {
    /// G-17: identify the caller's account → charge the limit → have the photo removed.
    /// - Throws: `auth/too-many-requests`, `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/user-disabled`.
    func removePhoto(
        _ request: GatewayV1.RemovePhotoRequest, _ context: CallContext
    ) async throws -> GatewayV1.RemovePhotoResponse {
        let origin = try Origin.of(nil, context)
        let session = try await sessions.requiredSession(context)
        let (answer, _) = try await limits.charging(
            .profileUpdate(account: session.accountID), context
        ) {
            try await profiles.removePhoto(
                IdentityV1.RemovePhotoRequest(accessToken: session.accessToken, origin: origin),
                context.onward())
        }
        return GatewayV1.RemovePhotoResponse(
            account: answer.account.map { GatewayV1.Account($0, photos) })
    }
}
