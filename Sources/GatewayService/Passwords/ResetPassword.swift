import Contracts
import Messages
import RPC
import ServiceRuntime

extension PasswordsHandler {
    /// G-11: charge the limit → set a new password by the token from a
    /// mailed link → record the device as known and unlock what strangers' failures locked → open a
    /// session. The token cannot be guessed, so the limit is only on the work of one address. A
    /// user who is locked out of signing in can therefore still use a reset.
    ///
    /// A crash between reset and session leaves an account with the new password. A retry with the
    /// same idempotency key then returns the same account and opens the session (G-25).
    ///
    /// A guest may come along; the response has the collision (G-16, G-27). An account's session is
    /// ignored. If it is this account's, the reset ends it, and a repeat still gets its response.
    func resetPassword(
        _ request: GatewayV1.ResetPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.ResetPasswordResponse {
        let onward = try context.onward(for: PasswordsDescription.resetPassword)
        let device = try request.device.requiredID()
        let reset = try await limits.charging(
            .passwordCheck(caller: LimitedCaller(context)), context
        ) {
            try await credentials.resetPassword(request, onward)
        }.answer
        // Independent of the session's outcome: the reader of the mail has set the password.
        await limits.remember(
            reset.account?.email ?? "", on: device,
            forgettingOthers: reset.forgetDevices, context)
        let session = try await sessions.open(by: reset.proof, on: request.device, onward)
        return GatewayV1.ResetPasswordResponse(
            account: reset.account, session: session,
            history: reset.history.map(GatewayV1.SignInHistory.init),
            collision: reset.collision, requiredActions: reset.requiredActions)
    }
}
