import Messages
import RPC
import ServiceRuntime

/// Counts an attempt at an account's password, whichever flow asks for it: signing in, proving
/// oneself once more, changing the password. The limits are one for all, and charged before the
/// password is looked at, so that parallel guesses cannot slip through.
struct CountedGuess: Sendable {
    let limits: LimitGuard

    /// - Parameter attempt: asks identity.
    /// - Returns: identity's answer, and the charge, which stands until the limiter is told that
    ///   the attempt was right.
    func run<Answer>(
        email: String, device: String, language: String, _ context: CallContext,
        _ attempt: () async throws -> Answer
    ) async throws -> (answer: Answer, charge: LimitCharge) {
        try await limits.charging(
            .signIn(email: email, device: device, caller: LimitedCaller(context)), context,
            language: language, attempt)
    }
}
