import Contracts
import Messages
import RPC

extension SignInMethodsHandler {
    /// G-14: read the caller's session → charge the limit → have the method removed. In one
    /// transaction the identity service requires a recent proof, and checks that another sign-in
    /// method remains.
    /// - Throws: `auth/requires-recent-login`, `auth/last-sign-in-method`, `auth/no-such-provider`,
    ///   `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`,
    ///   `auth/too-many-requests`, `rpc/invalid-argument`.
    func unlinkMethod(
        _ request: GatewayV1.UnlinkMethodRequest, _ context: CallContext
    ) async throws -> GatewayV1.UnlinkMethodResponse {
        let onward = try context.onward(for: "UnlinkMethod")
        let origin = try Origin.of(request.device, context)
        let session = try await sessions.requiredSession(context)
        // Each refusal is written to the audit trail.
        let unlinked = try await limits.charging(
            .documentWrite(account: session.accountID), context
        ) {
            try await identities.unlink(
                IdentityV1.UnlinkRequest(
                    accessToken: session.accessToken, method: request.method, origin: origin),
                onward)
        }.answer
        return GatewayV1.UnlinkMethodResponse(
            account: unlinked.account.map { GatewayV1.Account($0, photos) })
    }
}
