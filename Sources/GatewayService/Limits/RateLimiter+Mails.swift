import EmailAddresses
import Messages
import RPC
import ServiceRuntime

extension RateLimiter {
    /// Counts a mail that somebody asks for; a repeat of the same call is counted once.
    ///
    /// - Parameter asking: asks identity with `onward`.
    /// - Returns: identity's answer, and the charge.
    func countingMail<Answer>(
        _ action: LimitedAction, language: String, _ context: CallContext, _ onward: CallContext,
        _ asking: () async throws -> Answer
    ) async throws -> (answer: Answer, charge: LimitCharge) {
        try await charging(
            action, context, language: language, chargedOnceFor: onward.idempotencyKey, asking)
    }

    /// Counts a mail that a signed-in caller causes at an address that is not his yet. Over its limit
    /// he is refused, with the wait: silence would leave him waiting for a mail that does not come.
    /// The limit is the address's, whether or not it has an account, so the refusal does not tell.
    /// - Parameter asking: asks identity with `onward`.
    /// - Throws: `auth/too-many-requests`.
    func countingUnrequestedMail<Answer>(
        to email: String, refusedIn language: String, _ context: CallContext,
        _ onward: CallContext, _ asking: () async throws -> Answer
    ) async throws -> Answer {
        // What is no address is identity's to refuse.
        guard EmailAddress(email) != nil else { return try await asking() }
        return try await countingMail(
            .unaskedMail(email: email), language: language, context, onward, asking
        ).answer
    }

    /// The same where nobody is signed in: that an address is taken, or claimed by a sign-up. Over its
    /// limit the flow goes on without the mail, and answers the same. Attack: mails of many flows,
    /// accounts and addresses are aimed at one person, to bury the reset link that he asks for.
    /// - Parameter asking: asks identity with `onward`; is given whether the mail is withheld.
    func countingUnrequestedMail<Answer>(
        to email: String, language: String, _ context: CallContext, _ onward: CallContext,
        _ asking: (Bool) async throws -> Answer
    ) async throws -> Answer {
        // What is no address is identity's to refuse.
        guard EmailAddress(email) != nil else { return try await asking(false) }
        let action = LimitedAction.unaskedMail(email: email)
        let charge: LimitCharge
        do {
            charge = try await begin(
                action, context, language: language, chargedOnceFor: onward.idempotencyKey)
        } catch let error as ServiceError where error.code == .tooManyRequests {
            return try await asking(true)
        }
        do {
            return try await asking(false)
        } catch let error as ServiceError {
            await settle(charge, of: action, after: error, context)
            throw error
        }
    }
}
