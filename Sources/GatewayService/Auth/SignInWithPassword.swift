import Contracts
import Messages
import RPC
import ServiceRuntime

extension AuthHandler {
    /// G-03: charge the limit → verify the password → refund the charge
    /// and record the device as known → open a session. The limits count failures, and are charged
    /// before the password is verified. Their subject is the email as typed, whether or not an
    /// account has it.
    ///
    /// Where the account asks for a second proof, the charge stays and the device is not known yet
    /// (`CompleteSignIn`, F-03).
    ///
    /// A guest stays an account of its own and keeps its session; the response has the collision
    /// (G-16, G-27).
    func signInWithPassword(
        _ request: GatewayV1.SignInWithPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignInWithPasswordResponse {
        let onward = try context.onward(for: AuthDescription.signInWithPassword)
        let device = try request.device.requiredID()
        let (verified, charge) = try await limits.countingPasswordGuess(
            email: request.email, device: device, settledBy: accounts, context
        ) { charge in
            try await accounts.verifyPassword(
                IdentityV1.VerifyPasswordRequest(signIn: request, chargeId: charge.guess),
                onward.charged(charge))
        }
        // Independent of the session's outcome: if the session service is down, a right password
        // must not count as a failure.
        async let settled: Void = limits.succeed(
            charge, signedIn: verified.account, context)
        let session: GatewayV1.Session?
        do {
            session = try await sessions.open(by: verified.proof, on: request.device, onward)
        } catch {
            // Without this await, leaving the scope would cancel the call.
            await settled
            throw error
        }
        await settled
        return GatewayV1.SignInWithPasswordResponse(
            account: verified.account, session: session,
            history: verified.history.map(GatewayV1.SignInHistory.init),
            collision: verified.collision, requiredActions: verified.requiredActions)
    }
}
