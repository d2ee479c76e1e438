import Contracts
import Messages
import RPC
import ServiceRuntime

/// Limit → verify: the steps that signing in and proving oneself once more share. The limits are
/// charged before the password is looked at, so that parallel guesses cannot slip through.
struct PasswordVerification: Sendable {
    let accounts: any AccountsAPI
    let limits: LimitGuard

    /// Asks identity with `onward`.
    /// - Returns: identity's word, and the charge, which stands until the limiter is told that the
    ///   attempt was right.
    func run(
        _ request: IdentityV1.VerifyPasswordRequest, language: String, _ context: CallContext,
        onward: CallContext
    ) async throws -> (verified: IdentityV1.VerifyPasswordResponse, charge: LimitCharge) {
        let charge = try await limits.begin(
            .signIn(
                email: request.email, device: request.origin?.deviceId ?? "",
                caller: LimitedCaller(context)),
            context, language: language)
        do {
            return (try await accounts.verifyPassword(request, onward), charge)
        } catch let error as ServiceError where error.code != .invalidCredential {
            // Nothing was learnt about the password (identity is down or busy, or the account is
            // disabled and the password right): that is no failed guess.
            await limits.refund(charge, context)
            throw error
        }
    }
}
