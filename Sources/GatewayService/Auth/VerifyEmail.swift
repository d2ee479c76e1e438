import Contracts
package import Messages
package import RPC
import ServiceRuntime

extension AuthHandler {
    /// G-12: confirm an address by the token from its link. Inside the account's own session the link
    /// alone confirms. Elsewhere a password must be typed, since the one on record may be a stranger's
    /// who signed up with somebody else's address; identity's `ConfirmationRule` has the cases.
    package func verifyEmail(
        _ request: GatewayV1.VerifyEmailRequest, _ context: CallContext
    ) async throws -> GatewayV1.VerifyEmailResponse {
        let onward = try context.onward(for: "VerifyEmail")
        let origin = try Origin.of(request.device, context)
        let owner = try await owner(request.accessToken, context)
        let confirmed = try await accounts.confirmEmail(
            IdentityV1.ConfirmEmailRequest(
                token: request.token, accountId: owner, password: request.password,
                origin: origin), onward)
        // By the account's own session, or by who has replaced a stranger's password.
        if !owner.isEmpty || confirmed.passwordReplaced {
            await limits.remember(
                confirmed.account?.email ?? "", on: origin.deviceId,
                forgettingOthers: confirmed.passwordReplaced, context)
        }
        return GatewayV1.VerifyEmailResponse(account: confirmed.account)
    }

    /// The account of the session that asks; empty without one. A token that is no longer good is
    /// as none: the link is not lost, a password will do.
    private func owner(_ accessToken: String, _ context: CallContext) async throws -> String {
        guard !accessToken.isEmpty else { return "" }
        return try await sessions.validate(
            SessionV1.ValidateRequest(accessToken: accessToken), context.onward()
        ).accountId
    }
}
