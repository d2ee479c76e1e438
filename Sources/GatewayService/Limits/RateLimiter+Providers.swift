import Messages
import RPC
import ServiceRuntime

extension RateLimiter {
    /// Counts a provider's token that somebody shows, whichever flow asks for it: signing in, proving
    /// oneself once more, linking. Charged before the token is looked at, so that parallel tries cannot
    /// slip through. A good token's charge is taken back; `ChargeSettlement` says what becomes of the
    /// others.
    ///
    /// A sign-in is counted by address and device alone. Whose identity a token is stands in it, and
    /// only identity can tell whether that is true; a limit by it would guard nothing, since a
    /// provider's signature cannot be guessed, and whoever holds an old token of somebody's could lock
    /// him out. Where an account's own session asks, the account is known and has a limit of its own.
    ///
    /// - Parameter attempt: asks identity.
    /// - Returns: identity's answer.
    func countingProviderToken<Answer>(
        _ action: LimitedAction, language: String, _ context: CallContext,
        _ attempt: () async throws -> Answer
    ) async throws -> Answer {
        let (answer, charge) = try await charging(
            action, context, language: language, attempt)
        await succeed(charge, context)
        return answer
    }
}
