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
        let charge = try await limits.begin(
            .signIn(email: email, device: device, caller: LimitedCaller(context)), context,
            language: language)
        do {
            return (try await attempt(), charge)
        } catch let error as ServiceError where error.code != .invalidCredential {
            // Nothing was learnt about the password (identity is down or busy, or the account is
            // disabled and the password right): that is no failed guess.
            await limits.refund(charge, context)
            throw error
        }
    }
}
