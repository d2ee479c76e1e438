import Contracts
import EmailAddresses
package import Messages
package import RPC
import ServiceRuntime

extension EmailsHandler {
    /// G-02: another verification mail for who is not let in without: limit, as a sign-in and as mails
    /// → identity checks the password and mails. Both limits key on what was typed, before anybody
    /// knows whether there is such an account.
    /// - Throws: `auth/invalid-credential`, `auth/invalid-email`, `auth/too-many-requests`,
    ///   `auth/user-disabled`.
    package func resendVerificationByPassword(
        _ request: GatewayV1.ResendVerificationByPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.ResendVerificationByPasswordResponse {
        let onward = try context.onward(for: "ResendVerificationByPassword")
        let origin = try Origin.of(request.device, context)
        _ = try EmailAddress.required(request.email)
        // By an error nothing was mailed: a stranger's guesses must not use up the owner's three
        // mails (`ChargeSettlement`).
        let ((answer, guess), mailed) = try await limits.charging(
            .verificationMailByPassword(email: request.email), context,
            language: request.language, chargedOnceFor: onward.idempotencyKey
        ) {
            try await limits.countingPasswordGuess(
                email: request.email, device: origin.deviceId, language: request.language, context
            ) {
                try await changes.resendVerificationByPassword(
                    IdentityV1.ResendVerificationByPasswordRequest(
                        email: request.email, password: request.password, origin: origin), onward)
            }
        }
        await limits.succeed(guess, context)
        if !answer.sent { await limits.refund(mailed, context) }
        return GatewayV1.ResendVerificationByPasswordResponse(sent: answer.sent)
    }
}
