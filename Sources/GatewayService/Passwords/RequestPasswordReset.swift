import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime

extension PasswordsHandler {
    /// G-11: charge the limit → have a link mailed. The limit's subject is the email as typed,
    /// whether or not an account has it, and the response is the same in both cases.
    func requestPasswordReset(
        _ request: GatewayV1.RequestPasswordResetRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestPasswordResetResponse {
        let onward = try context.onward(for: PasswordsDescription.requestPasswordReset)
        _ = try request.device.requiredID()
        // Text that is not an email is rejected before it is charged.
        _ = try EmailAddress.required(request.email)
        let (_, charge) = try await limits.charging(
            .passwordReset(email: request.email, caller: LimitedCaller(context)), context,
            chargedOnceFor: onward.idempotencyKey
        ) {
            try await credentials.requestPasswordReset(request, onward)
        }
        let next = await limits.nextMail(after: charge, context)
        return GatewayV1.RequestPasswordResetResponse(
            nextAfterMs: next.afterMs, remaining: next.remaining)
    }
}
