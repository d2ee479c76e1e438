import Contracts
import Messages
import RPC
import ServiceRuntime

extension GuestsHandler {
    /// G-07: check that the caller has no session → charge the limit → create a guest account →
    /// open its session. A crash between the last two steps leaves a guest account. A retry with
    /// the same idempotency key opens its session (G-25).
    /// - Throws: `auth/already-signed-in`, `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/too-many-requests`, `rpc/invalid-argument`.
    func signInAsGuest(
        _ request: GatewayV1.SignInAsGuestRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignInAsGuestResponse {
        let onward = try context.onward(for: "SignInAsGuest")
        let origin = try Origin.of(request.device, context)
        let language = try context.mailLanguage(request.mailLanguage)
        guard try await sessions.optionalSession(context) == nil else {
            throw ServiceError(.alreadySignedIn)
        }
        let guest = try await limits.charging(
            .guestSignUp(caller: LimitedCaller(context), app: context.app), context,
            chargedOnceFor: onward.idempotencyKey
        ) {
            try await identities.signInAsGuest(
                IdentityV1.SignInAsGuestRequest(
                    language: language, origin: origin, acceptance: request.acceptance), onward)
        }.answer
        let session = try await sessions.open(
            by: guest.proof, on: request.device, from: origin, onward)
        return GatewayV1.SignInAsGuestResponse(
            account: guest.account, session: session, requiredActions: guest.requiredActions)
    }
}
