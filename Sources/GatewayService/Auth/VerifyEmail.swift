import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime

extension AuthHandler {
    /// G-12: read the caller's session → charge the limit, if there is a password → confirm the
    /// address by the token from its link → record the device as known. In the account's own
    /// session the link alone is enough. Elsewhere a password is required. Attack: a stranger signs
    /// up with somebody else's address; the password on record is then the stranger's, and the
    /// owner's click must not confirm it.
    ///
    /// A password is charged to the caller's address. Attack: a link stays valid after a password
    /// that is refused, so that one link would have us hash without end.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/invalid-link`,
    ///   `auth/password-needed`, `auth/weak-password`, `auth/user-disabled`,
    ///   `auth/too-many-requests`, `auth/invalid-credential`, `rpc/invalid-argument`.
    func verifyEmail(
        _ request: GatewayV1.VerifyEmailRequest, _ context: CallContext
    ) async throws -> GatewayV1.VerifyEmailResponse {
        let onward = try context.onward(for: "VerifyEmail")
        let origin = try Origin.of(request.device, context)
        let owner = try await sessions.optionalSession(context)?.accountID ?? ""
        func confirm() async throws -> IdentityV1.ConfirmEmailResponse {
            try await accounts.confirmEmail(
                IdentityV1.ConfirmEmailRequest(
                    token: request.token, accountId: owner, password: request.password,
                    origin: origin), onward)
        }
        let confirmed =
            request.password.isEmpty
            ? try await confirm()
            : try await limits.charging(
                .passwordCheck(caller: LimitedCaller(context)), context, confirm
            ).answer
        // Confirmed by the account's own session, or by the first owner of the account.
        if !owner.isEmpty || confirmed.forgetDevices {
            await limits.remember(
                confirmed.account?.email ?? "", on: origin.deviceId,
                forgettingOthers: confirmed.forgetDevices, context)
        }
        return GatewayV1.VerifyEmailResponse(account: confirmed.account)
    }
}
