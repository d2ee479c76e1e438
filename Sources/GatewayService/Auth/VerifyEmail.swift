import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime

extension AuthHandler {
    /// G-12: charge the limit, if there is a password → confirm the
    /// address by the token from its link → record the device as known. In the account's own
    /// session the link alone is enough. Elsewhere a password is required. Attack: a stranger signs
    /// up with somebody else's address; the password on record is then the stranger's, and the
    /// owner's click must not confirm it.
    ///
    /// A password is charged to the caller's address. Attack: a link stays valid after a password
    /// that is refused, so that one link would have us hash without end.
    func verifyEmail(
        _ request: GatewayV1.VerifyEmailRequest, _ context: CallContext
    ) async throws -> GatewayV1.VerifyEmailResponse {
        let onward = try context.onward(for: AuthDescription.verifyEmail)
        let device = try request.device.requiredID()
        func confirm() async throws -> IdentityV1.ConfirmEmailResponse {
            try await accounts.confirmEmail(request, onward)
        }
        let confirmed =
            request.password.isEmpty
            ? try await confirm()
            : try await limits.charging(
                .passwordCheck(caller: LimitedCaller(context)), context, confirm
            ).answer
        // Confirmed in a session, which identity has found live, or by the first owner of the account.
        if try context.accessToken() != nil || confirmed.forgetDevices {
            await limits.remember(
                confirmed.account?.email ?? "", on: device,
                forgettingOthers: confirmed.forgetDevices, context)
        }
        return GatewayV1.VerifyEmailResponse(account: confirmed.account)
    }
}
