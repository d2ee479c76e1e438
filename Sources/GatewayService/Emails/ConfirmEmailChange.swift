import Contracts
package import Messages
package import RPC
import ServiceRuntime

extension EmailsHandler {
    /// G-12: make the new address the account's. Inside the account's session the link alone does that,
    /// elsewhere its password is asked for; identity counts the tries.
    /// - Throws: `auth/invalid-link`, `auth/password-needed`, `auth/invalid-credential`,
    ///   `auth/email-already-in-use`.
    package func confirmEmailChange(
        _ request: GatewayV1.ConfirmEmailChangeRequest, _ context: CallContext
    ) async throws -> GatewayV1.ConfirmEmailChangeResponse {
        let onward = try context.onward(for: "ConfirmEmailChange")
        let origin = try Origin.of(request.device, context)
        let confirmed = try await changes.confirmEmailChange(
            IdentityV1.ConfirmEmailChangeRequest(
                token: request.token, accessToken: request.accessToken,
                password: request.password, origin: origin), onward)
        // Devices are known by the address: those of the former one say nothing of this.
        await limits.remember(
            confirmed.account?.email ?? "", on: origin.deviceId, forgettingOthers: true, context)
        return GatewayV1.ConfirmEmailChangeResponse(account: confirmed.account)
    }
}
