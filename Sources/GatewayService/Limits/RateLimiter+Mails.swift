import Addresses
import Messages
import RPC
import ServiceRuntime

extension RateLimiter {
    /// When the next mail can be requested, in milliseconds from now, and how many more until the
    /// limit (G-28); both 0 if the rate limiter does not answer. It reads the first of the charge's
    /// limits. That one counts the account or the email as text, so the numbers are the same
    /// whether or not the email has an account.
    func nextMail(
        after charge: LimitCharge, _ context: CallContext
    ) async -> (afterMs: Int64, remaining: UInt32) {
        guard let next = await next(after: charge, context) else { return (0, 0) }
        // The decision is about one more mail, and its `remaining` about those after it.
        let remaining = next.limited ? 0 : next.remaining.addingReportingOverflow(1).partialValue
        return (Int64(clamping: next.retryAfterMs), remaining)
    }

    /// Counts a mail that a signed-in caller causes to an email that is not yet the caller's. Above
    /// the limit the caller is refused with the wait, because otherwise it would wait for a mail
    /// that is never sent. The limit is on the email whether or not it has an account, so the
    /// refusal does not reveal that.
    /// - Parameter call: calls the identity service with `onward`.
    /// - Throws: `auth/too-many-requests`, and the errors of `call`.
    func countingUnrequestedMail<Answer>(
        toNew email: String, _ context: CallContext, _ onward: CallContext,
        _ call: () async throws -> Answer
    ) async throws -> Answer {
        // The identity service rejects text that is not an email.
        guard EmailAddress(email) != nil else { return try await call() }
        return try await charging(
            .unrequestedMail(email: email), context, chargedOnceFor: onward.idempotencyKey, call
        ).answer
    }

    /// The same for a caller without a session: the mail says that an email is taken, or claimed by
    /// a sign-up, or verifies it for an account that is corrected. Above the limit the flow proceeds without the mail and returns the same response.
    /// Attack: mails of many flows, accounts and addresses are sent to one person, to hide the
    /// reset link that this person requests.
    /// - Parameters:
    ///   - isGuarded: Whether identity sends it only after a right password.
    ///   - call: calls the identity service with `onward`; its argument says whether to withhold the
    ///     mail.
    /// - Returns: the response, and the charge, which stays until it is refunded; nil if nothing
    ///   was charged.
    /// - Throws: as `begin` except `auth/too-many-requests`, and the errors of `call`.
    func countingUnrequestedMail<Answer>(
        to email: String, guarded isGuarded: Bool = false, _ context: CallContext,
        _ onward: CallContext, _ call: (Bool) async throws -> Answer
    ) async throws -> (answer: Answer, charge: LimitCharge?) {
        // The identity service rejects text that is not an email.
        guard EmailAddress(email) != nil else { return (try await call(false), nil) }
        let action = LimitedAction.unrequestedMail(email: email, isGuarded: isGuarded)
        let charge: LimitCharge
        do {
            charge = try await begin(
                action, context, chargedOnceFor: onward.idempotencyKey)
        } catch let error as ServiceError where error.code == .tooManyRequests {
            return (try await call(true), nil)
        }
        do {
            return (try await call(false), charge)
        } catch let error as ServiceError {
            await settle(charge, of: action, after: error, context)
            throw error
        }
    }
}
