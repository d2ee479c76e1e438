import Messages
import RPC
import ServiceRuntime

extension RateLimiter {
    /// Counts a provider's token in every flow that takes one: sign-in, re-authentication, linking.
    /// It is charged before the token is verified, so that parallel attempts cannot pass the limit.
    /// The charge of a valid token is refunded; `ChargeSettlement` has the rule for the others
    ///
    ///
    /// A sign-in is counted by address and device only. The token names an identity, but only the
    /// identity service can verify that claim. A limit by identity would protect nothing, because a
    /// provider's signature cannot be guessed. Attack: the holder of an old token of another user
    /// would use such a limit to lock that user out. In an account's own session the account is
    /// known and has its own limit.
    ///
    /// - Parameter attempt: calls the identity service.
    /// - Returns: the identity service's response.
    /// - Throws: as `charging`.
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
