import Contracts
import Messages
import RPC
import ServiceRuntime

extension RateLimiter {
    /// Counts a guess at an account's password in every flow that takes one: sign-in,
    /// re-authentication, changing the password. All flows share the limits. They are charged
    /// before the password is verified, so that parallel guesses cannot pass them.
    ///
    /// - Parameter attempt: calls the identity service.
    /// - Returns: the identity service's response, and the charge, which stays until `succeed`
    ///   reports a right password.
    /// - Throws: as `charging`.
    func countingPasswordGuess<Answer>(
        email: String, device: String, language: String, _ context: CallContext,
        _ attempt: () async throws -> Answer
    ) async throws -> (answer: Answer, charge: LimitCharge) {
        try await charging(
            .signIn(email: email, device: device, caller: LimitedCaller(context)), context,
            language: language, attempt)
    }

    /// Charges the limits, then calls the identity service with `onward`. Sign-in and
    /// re-authentication share these steps.
    /// - Returns: the identity service's response, and the charge, which stays until `succeed`
    ///   reports a right password.
    /// - Throws: as `charging`.
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
