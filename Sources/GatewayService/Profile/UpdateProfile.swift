import Contracts
import Messages
import RPC

extension ProfileHandler {
    /// G-17: identify the caller's account → charge the limit → have the display name changed.
    /// - Throws: `auth/too-many-requests`, `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/user-disabled`, `auth/document-quota`, `auth/idempotency-key-reused`,
    ///   `rpc/invalid-argument`.
    func updateProfile(
        _ request: GatewayV1.UpdateProfileRequest, _ context: CallContext
    ) async throws -> GatewayV1.UpdateProfileResponse {
        let onward = try context.onward(for: "UpdateProfile")
        let origin = try Origin.of(nil, context)
        let name: IdentityV1.UpdateProfileRequest.Name? =
            switch request.name {
            case .displayName(let name): .displayName(name)
            case nil: nil
            }
        let session = try await sessions.requiredSession(context)
        let (answer, _) = try await limits.charging(
            .profileUpdate(account: session.accountID), context,
            chargedOnceFor: onward.idempotencyKey
        ) {
            try await profiles.updateProfile(
                IdentityV1.UpdateProfileRequest(
                    accessToken: session.accessToken, origin: origin, name: name),
                onward)
        }
        return GatewayV1.UpdateProfileResponse(
            account: answer.account.map { GatewayV1.Account($0, photos) })
    }
}
