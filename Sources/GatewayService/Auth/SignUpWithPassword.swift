import Contracts
package import Messages
package import RPC
import ServiceRuntime

extension AuthHandler {
    /// G-02: whose session asks? → limit → register (account, profile, password and verification mail,
    /// together or not at all) → open a session. A crash between the two leaves an account that can sign
    /// in; a retry with the same idempotency key answers both as if nothing had happened (G-25).
    ///
    /// A guest that asks becomes the account and keeps its id (G-07); who has an account already does not
    /// mean to become somebody else unnoticed. Which it is, identity says.
    package func signUpWithPassword(
        _ request: GatewayV1.SignUpWithPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignUpWithPasswordResponse {
        let onward = try context.onward(for: "SignUpWithPassword")
        let origin = try Origin.of(request.device, context)
        let asking = try await sessions.callerToken(request.accessToken, context)
        let registered = try await register(request, asking, origin, context, onward)
        // Where the operator wants the address verified first, nothing is signed in yet.
        guard registered.proof != nil else {
            return GatewayV1.SignUpWithPasswordResponse(
                account: registered.account, isNewUser: true)
        }
        // The device that made the account is its owner's as long as nobody proves otherwise: or
        // strangers' guesses would keep it out.
        await limits.remember(registered.account?.email ?? "", on: origin.deviceId, context)
        let session = try await sessions.open(
            by: registered.proof, on: request.device, from: origin, onward)
        return GatewayV1.SignUpWithPasswordResponse(
            account: registered.account, session: session,
            isNewUser: true)
    }

    private func register(
        _ request: GatewayV1.SignUpWithPasswordRequest, _ asking: String,
        _ origin: IdentityV1.Origin, _ context: CallContext, _ onward: CallContext
    ) async throws -> IdentityV1.RegisterResponse {
        try await limits.charging(
            .signUp(email: request.email, caller: LimitedCaller(context)), context,
            language: request.language, chargedOnceFor: onward.idempotencyKey
        ) {
            try await limits.countingUnrequestedMail(
                to: request.email, language: request.language, context, onward
            ) { isWithheld in
                try await accounts.register(
                    IdentityV1.RegisterRequest(
                        email: request.email, password: request.password,
                        displayName: request.displayName, language: request.language,
                        origin: origin, guestAccessToken: asking, mailWithheld: isWithheld),
                    onward)
            }
        }.answer
    }
}
