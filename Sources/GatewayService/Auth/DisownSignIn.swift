import Contracts
import Messages
import RPC
import ServiceRuntime

extension AuthHandler {
    /// N-01: charge the limit → shut out the one who has signed in, by the token from a mailed link
    /// → forget the known devices. A link that does not work is not charged.
    ///
    /// Attack: the thief's device is known since the thief's sign-in. It would keep a limit on
    /// failures of its own, and guess beside the one of unknown devices (`TrustedLane`).
    ///
    /// A crash before the last step leaves devices known. A retry with the same idempotency key
    /// gets the same answer and forgets them (G-25).
    func disownSignIn(
        _ request: GatewayV1.DisownSignInRequest, _ context: CallContext
    ) async throws -> GatewayV1.DisownSignInResponse {
        let onward = try context.onward(for: AuthDescription.disownSignIn)
        let disowned = try await limits.charging(
            .disownedSignIn(caller: LimitedCaller(context)), context,
            chargedOnceFor: onward.idempotencyKey
        ) {
            try await credentials.disownSignIn(request, onward)
        }.answer
        await limits.forgetDevices(of: disowned.email, disowned.accountId, context)
        return GatewayV1.DisownSignInResponse()
    }
}
