import Contracts
import Messages
import RPC
import ServiceRuntime

extension EmailsHandler {
    /// G-12: identify the caller's account → charge the limits on verification mails and on the new
    /// address → have the identity service record the change.
    /// The identity service requires the recent proof, by the access token that is passed on. A
    /// compromised gateway alone therefore cannot change an account's email.
    func requestEmailChange(
        _ request: GatewayV1.RequestEmailChangeRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestEmailChangeResponse {
        let onward = try context.onward(for: EmailsDescription.requestEmailChange)
        _ = try request.device.requiredID()
        let account = try await tokens.requiredAccount(context)
        let (answer, charge) = try await limits.charging(
            .verificationMail(account: account), context,
            chargedOnceFor: onward.idempotencyKey
        ) {
            try await limits.countingUnrequestedMail(
                toNew: request.newEmail, context, onward
            ) {
                try await changes.requestEmailChange(request, onward)
            }
        }
        let next = await limits.nextMail(after: charge, context)
        return GatewayV1.RequestEmailChangeResponse(
            account: answer.account, nextAfterMs: next.afterMs, remaining: next.remaining)
    }
}
