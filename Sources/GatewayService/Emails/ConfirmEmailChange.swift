import Contracts
import Messages
import RPC
import ServiceRuntime

extension EmailsHandler {
    /// G-12: read the caller's session → make the new address the account's → record the device as
    /// known. In the account's own session the link alone is enough. Elsewhere its password is
    /// required, and the identity service counts the attempts.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/invalid-link`,
    ///   `auth/password-needed`, `auth/invalid-credential`, `auth/email-already-in-use`,
    ///   `rpc/invalid-argument`.
    func confirmEmailChange(
        _ request: GatewayV1.ConfirmEmailChangeRequest, _ context: CallContext
    ) async throws -> GatewayV1.ConfirmEmailChangeResponse {
        let onward = try context.onward(for: "ConfirmEmailChange")
        let origin = try Origin.of(request.device, context)
        let session = try await sessions.optionalSession(context)
        let confirmed = try await changes.confirmEmailChange(
            IdentityV1.ConfirmEmailChangeRequest(
                token: request.token, accessToken: session?.accessToken ?? "",
                password: request.password, origin: origin), onward)
        // Known devices are stored by email. Devices of the former owner of this email must not
        // count as known.
        await limits.remember(
            confirmed.account?.email ?? "", on: origin.deviceId, forgettingOthers: true, context)
        return GatewayV1.ConfirmEmailChangeResponse(account: confirmed.account)
    }
}
