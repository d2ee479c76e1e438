import Contracts
package import Messages
package import RPC
import ServiceRuntime

extension PasswordsHandler {
    /// G-11: set a new password by the token from a mailed link → have the device known, and what
    /// strangers shut opened → open a session. Nobody guesses a token, so nothing is limited: who is
    /// locked out of signing in still gets in here.
    ///
    /// A crash between the two leaves an account with the new password; a retry with the same
    /// idempotency key answers both as if nothing had happened (G-25).
    /// - Throws: `auth/invalid-link`, `auth/weak-password`, `auth/user-disabled`.
    package func resetPassword(
        _ request: GatewayV1.ResetPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.ResetPasswordResponse {
        let onward = try context.onward(for: "ResetPassword")
        let origin = try Origin.of(request.device, context)
        let reset = try await credentials.resetPassword(
            IdentityV1.ResetPasswordRequest(
                token: request.token, password: request.password, origin: origin), onward)
        // Whatever becomes of the session: the mail's reader has set the password.
        await limits.remember(
            reset.account?.email ?? "", on: origin.deviceId, forgettingOthers: reset.takenOver,
            context)
        let session = try await sessions.open(
            by: reset.proof, on: request.device, from: origin, onward)
        return GatewayV1.ResetPasswordResponse(
            account: reset.account, session: session,
            news: reset.news)
    }
}
