import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime

extension EmailsHandler {
    /// G-02: replaces a mistyped email that was never verified. Charge the limits on sign-ups,
    /// verification mails, sign-ins and mails → the identity service checks the password, replaces
    /// the email and sends the link → forget the devices that are known under the new email, and
    /// record this one, as after a sign-up.
    ///
    ///     charged to                      as               if the password is wrong    if it is right
    ///     the new email and the address   a sign-up        refunded                    stays
    ///     the old email                   another link     refunded                    stays
    ///     the old email and the device    a sign-in        stays                       refunded
    ///     the new email                   a mail there     refunded                    stays
    ///
    /// All subjects are emails as typed, whether or not an account has them. Attack: each
    /// correction would begin the counts of another email, and ask whether that is taken; so it counts
    /// as a sign-up.
    func correctEmail(
        _ request: GatewayV1.CorrectEmailRequest, _ context: CallContext
    ) async throws -> GatewayV1.CorrectEmailResponse {
        let onward = try context.onward(for: EmailsDescription.correctEmail)
        let device = try request.device.requiredID()
        _ = try EmailAddress.required(request.email)
        let (answer, guess) = try await limits.charging(
            .signUp(email: request.newEmail, caller: LimitedCaller(context)), context,
            chargedOnceFor: onward.idempotencyKey
        ) {
            try await limits.charging(
                .verificationMailByPassword(email: request.email), context,
                chargedOnceFor: onward.idempotencyKey
            ) {
                try await correct(request, on: device, context, onward)
            }.answer
        }.answer
        // The account has left the email under which the guess was charged, so the device does not
        // become known there.
        await limits.refund(guess, context)
        await limits.remember(request.newEmail, on: device, forgettingOthers: true, context)
        return answer
    }

    /// Counts the guess and the mail, and has the email replaced.
    private func correct(
        _ request: GatewayV1.CorrectEmailRequest, on device: String, _ context: CallContext,
        _ onward: CallContext
    ) async throws -> (answer: GatewayV1.CorrectEmailResponse, guess: LimitCharge) {
        let (answer, guess) = try await limits.countingPasswordGuess(
            email: request.email, device: device, context
        ) { _ in
            try await limits.countingUnrequestedMail(
                to: request.newEmail, guarded: true, context, onward
            ) { isWithheld in
                try await changes.correctEmail(
                    IdentityV1.CorrectEmailRequest(
                        correction: request, mailWithheld: isWithheld), onward)
            }.answer
        }
        return (answer, guess)
    }
}
