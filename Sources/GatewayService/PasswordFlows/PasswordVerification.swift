import Contracts
import Messages
import RPC
import ServiceRuntime

/// Limit → verify: the steps that signing in and proving oneself once more share (`CountedGuess`).
struct PasswordVerification: Sendable {
    let accounts: any AccountsAPI
    let limits: LimitGuard

    /// Asks identity with `onward`.
    /// - Returns: identity's word, and the charge, which stands until the limiter is told that the
    ///   attempt was right.
    func run(
        _ request: IdentityV1.VerifyPasswordRequest, language: String, _ context: CallContext,
        onward: CallContext
    ) async throws -> (answer: IdentityV1.VerifyPasswordResponse, charge: LimitCharge) {
        try await CountedGuess(limits: limits).run(
            email: request.email, device: request.origin?.deviceId ?? "", language: language,
            context
        ) {
            try await accounts.verifyPassword(request, onward)
        }
    }
}
