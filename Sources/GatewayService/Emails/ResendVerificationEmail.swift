import Contracts
import Messages
import RPC
import ServiceRuntime

extension EmailsHandler {
    /// G-12: identify the caller's account → charge the limit → have another verification link
    /// mailed.
    func resendVerificationEmail(
        _ request: GatewayV1.ResendVerificationEmailRequest, _ context: CallContext
    ) async throws -> GatewayV1.ResendVerificationEmailResponse {
        let onward = try context.onward(for: EmailsDescription.resendVerificationEmail)
        _ = try request.device.requiredID()
        let account = try await tokens.requiredAccount(context)
        let (answer, charge) = try await limits.charging(
            .verificationMail(account: account), context, chargedOnceFor: onward.idempotencyKey
        ) {
            try await credentials.resendVerification(request, onward)
        }
        // There was nothing to verify.
        if !answer.sent { await limits.refund(charge, context) }
        let next = await limits.nextMail(after: charge, context)
        return GatewayV1.ResendVerificationEmailResponse(
            sent: answer.sent, nextAfterMs: next.afterMs, remaining: next.remaining)
    }
}
