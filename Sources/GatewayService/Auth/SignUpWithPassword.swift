import Contracts
import Messages
import RPC
import ServiceRuntime

extension AuthHandler {
    /// G-02: charge the limit → register (account, profile, password
    /// and verification mail in one transaction) → open a session. A crash between registration and
    /// session leaves an account that can sign in. A retry with the same idempotency key then
    /// returns the same account and opens the session (G-25).
    ///
    /// A guest who signs up keeps the account id (G-07). A caller that already has an account is
    /// refused, because it does not intend to switch accounts. The identity service decides which
    /// of the two the caller is.
    func signUpWithPassword(
        _ request: GatewayV1.SignUpWithPasswordRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignUpWithPasswordResponse {
        let onward = try context.onward(for: AuthDescription.signUpWithPassword)
        let device = try request.device.requiredID()
        let registered = try await register(request, context, onward)
        // The device that created the account counts as known until another person proves to own
        // the address. Otherwise guesses by strangers would lock this device out. Attack: the
        // former holder of the address signs up with it, changes to another address, and guesses
        // the next owner's password from devices that are known.
        await limits.remember(
            registered.account?.email ?? "", on: device, forgettingOthers: true, context)
        var session: GatewayV1.Session?
        // Without a proof the operator requires a verified address first, so no session is opened.
        if registered.proof != nil {
            session = try await sessions.open(by: registered.proof, on: request.device, onward)
        }
        return GatewayV1.SignUpWithPasswordResponse(
            account: registered.account, session: session,
            requiredActions: registered.requiredActions)
    }

    /// Charges the limits and registers the account.
    private func register(
        _ request: GatewayV1.SignUpWithPasswordRequest, _ context: CallContext,
        _ onward: CallContext
    ) async throws -> IdentityV1.RegisterResponse {
        let (registered, mail) = try await limits.charging(
            .signUp(email: request.email, caller: LimitedCaller(context), app: context.app),
            context, chargedOnceFor: onward.idempotencyKey
        ) {
            // A sign-up whose password is refused costs no other charge.
            try await limits.charging(.passwordCheck(caller: LimitedCaller(context)), context) {
                try await limits.countingUnrequestedMail(
                    to: request.email, context, onward
                ) { isWithheld in
                    try await accounts.register(
                        IdentityV1.RegisterRequest(signUp: request, mailWithheld: isWithheld),
                        onward)
                }
            }.answer
        }.answer
        // The account has the email at once, so it was free and no mail of this limit was sent. A
        // claim, under `enumeration: strict`, stays charged whether or not the email is taken
        //
        if let mail, registered.account?.email.isEmpty == false {
            await limits.refund(mail, context)
        }
        return registered
    }
}
