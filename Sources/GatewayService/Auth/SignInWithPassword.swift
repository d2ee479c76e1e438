import Contracts
package import Messages
package import RPC
import ServiceRuntime

extension AuthHandler {
    /// G-03: limit → verify → take the charge back, remember the device → open a session. The limits
    /// count failures, and are charged before the password is looked at (`verifyPassword`); they key
    /// on what was typed, before anybody knows whether there is such an account.
    package func signInWithPassword(
        _ request: GatewayV1.SignInWithPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignInWithPasswordResponse {
        let onward = try context.onward(for: "SignInWithPassword")
        let origin = try Origin.of(request.device, context)
        let (verified, charge) = try await limits.verifyPassword(
            IdentityV1.VerifyPasswordRequest(
                email: request.email, password: request.password, origin: origin),
            by: accounts, language: request.language, context, onward: onward)
        // Whatever becomes of the session: with session down, the right password is no failure.
        async let told: Void = limits.succeed(charge, context)
        let session: GatewayV1.Session?
        do {
            session = try await sessions.open(
                by: verified.proof, on: request.device, from: origin, onward)
        } catch {
            // Awaited, or leaving the scope would cancel it.
            await told
            throw error
        }
        await told
        return GatewayV1.SignInWithPasswordResponse(
            account: verified.account, session: session,
            news: verified.news)
    }
}
