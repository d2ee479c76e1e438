import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime

extension EmailsHandler {
    /// G-02: sends another verification mail to a user who cannot sign in before the address is
    /// verified. Charge the limits on sign-ins and on mails → the identity service checks the
    /// password and sends the mail. The subject of both limits is the email as typed, whether or
    /// not an account has it.
    func resendVerificationByPassword(
        _ request: GatewayV1.ResendVerificationByPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.ResendVerificationByPasswordResponse {
        let onward = try context.onward(for: EmailsDescription.resendVerificationByPassword)
        let device = try request.device.requiredID()
        _ = try EmailAddress.required(request.email)
        // After an error no mail was sent. Attack: a stranger's wrong guesses use up the owner's
        // three mails (`ChargeSettlement`).
        let ((answer, guess), mailed) = try await limits.charging(
            .verificationMailByPassword(email: request.email), context,
            chargedOnceFor: onward.idempotencyKey
        ) {
            try await limits.countingPasswordGuess(
                email: request.email, device: device, context
            ) { _ in
                try await changes.resendVerificationByPassword(request, onward)
            }
        }
        // Without a mail the password was only compared: the limits do not know the device by that.
        if answer.sent {
            await limits.succeed(guess, context)
        } else {
            await limits.refund(guess, context)
            await limits.refund(mailed, context)
        }
        let next = await limits.nextMail(after: mailed, context)
        return GatewayV1.ResendVerificationByPasswordResponse(
            sent: answer.sent, nextAfterMs: next.afterMs, remaining: next.remaining)
    }
}
