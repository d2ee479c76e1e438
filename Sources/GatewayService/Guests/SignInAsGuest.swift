import Contracts
import Messages
import RPC
import ServiceRuntime

extension GuestsHandler {
    /// G-07: charge the limit → create a guest account, unless the caller has a session → open its
    /// session. A crash between the last two steps leaves a guest account. A retry with
    /// the same idempotency key opens its session (G-25).
    func signInAsGuest(
        _ request: GatewayV1.SignInAsGuestRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignInAsGuestResponse {
        let onward = try context.onward(for: GuestsDescription.signInAsGuest)
        _ = try request.device.requiredID()
        let guest = try await limits.charging(
            .guestSignUp(caller: LimitedCaller(context), app: context.app), context,
            chargedOnceFor: onward.idempotencyKey
        ) {
            try await identities.signInAsGuest(request, onward)
        }.answer
        let session = try await sessions.open(by: guest.proof, on: request.device, onward)
        return GatewayV1.SignInAsGuestResponse(
            account: guest.account, session: session, requiredActions: guest.requiredActions)
    }
}
