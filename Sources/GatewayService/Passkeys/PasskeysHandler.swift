import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern.gateway.v1.Passkeys`: sign-in with a passkey, and the passkeys of an account (F-01).
/// Identity serves all but `signInWithPasskey`.
struct PasskeysHandler: PasskeysService {
    let identities: any IdentitiesAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter
}

extension PasskeysHandler {
    /// F-01: charge the limit → have the signature verified and its account found → refund the
    /// charge → open a session.
    ///
    /// Without the limiter it goes on: a signature cannot be guessed. If the call fails
    /// after the verification, a retry with the same idempotency key completes it (G-25).
    func signInWithPasskey(
        _ request: GatewayV1.SignInWithPasskeyRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignInWithPasskeyResponse {
        let onward = try context.onward(for: PasskeysDescription.signInWithPasskey)
        _ = try request.device.requiredID()
        let signedIn = try await limits.countingPasskey(
            context, signedIn: { $0.account }
        ) { charge in
            try await identities.signInWithPasskey(request, onward.charged(charge))
        }
        let session = try await sessions.open(by: signedIn.proof, on: request.device, onward)
        return GatewayV1.SignInWithPasskeyResponse(
            account: signedIn.account, session: session, collision: signedIn.collision,
            history: signedIn.history.map(GatewayV1.SignInHistory.init),
            requiredActions: signedIn.requiredActions)
    }
}
