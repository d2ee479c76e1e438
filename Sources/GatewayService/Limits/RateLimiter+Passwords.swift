import Contracts
import Messages
import RPC
import ServiceRuntime

extension RateLimiter {
    /// Counts an attempt at an account's password, whichever flow asks for it: signing in, proving
    /// oneself once more, changing the password. The limits are one for all, and charged before the
    /// password is looked at, so that parallel guesses cannot slip through.
    ///
    /// - Parameter attempt: asks identity.
    /// - Returns: identity's answer, and the charge, which stands until the limiter is told that
    ///   the attempt was right.
    func countingPasswordGuess<Answer>(
        email: String, device: String, language: String, _ context: CallContext,
        _ attempt: () async throws -> Answer
    ) async throws -> (answer: Answer, charge: LimitCharge) {
        try await charging(
            .signIn(email: email, device: device, caller: LimitedCaller(context)), context,
            language: language, attempt)
    }

    /// Charges the limits, then asks identity with `onward`: the steps that signing in and
    /// re-authentication share.
    /// - Returns: identity's word, and the charge, which stands until the limiter is told that the
    ///   attempt was right.
    func verifyPassword(
        _ request: IdentityV1.VerifyPasswordRequest, by accounts: any AccountsAPI,
        language: String, _ context: CallContext, onward: CallContext
    ) async throws -> (answer: IdentityV1.VerifyPasswordResponse, charge: LimitCharge) {
        try await countingPasswordGuess(
            email: request.email, device: request.origin?.deviceId ?? "", language: language,
            context
        ) {
            try await accounts.verifyPassword(request, onward)
        }
    }
}
