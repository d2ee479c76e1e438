import Contracts
import Messages
import RPC
import ServiceRuntime

extension EmailsHandler {
    /// G-12: make the new address the account's → record the device as
    /// known. In the account's own session the link alone is enough. Elsewhere its password is
    /// required, and the identity service counts the attempts.
    func confirmEmailChange(
        _ request: GatewayV1.ConfirmEmailChangeRequest, _ context: CallContext
    ) async throws -> GatewayV1.ConfirmEmailChangeResponse {
        let onward = try context.onward(for: EmailsDescription.confirmEmailChange)
        let device = try request.device.requiredID()
        let confirmed = try await changes.confirmEmailChange(request, onward)
        // Known devices are stored by email. Devices of the former owner of this email must not
        // count as known.
        await limits.remember(
            confirmed.account?.email ?? "", on: device, forgettingOthers: true, context)
        return confirmed
    }
}
