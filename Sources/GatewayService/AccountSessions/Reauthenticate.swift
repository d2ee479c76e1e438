import Addresses
import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime

extension AccountSessionsHandler {
    /// G-13: identify the caller's account → charge the limit → verify the proof → refund the
    /// charge and record the device as known → record the proof in the session.
    ///
    /// A password, a provider's token and a code share the limits of a sign-in. Attack: a stolen
    /// access token is used to guess the password outside those limits. A device's proof is a
    /// signature, which cannot be guessed. The session service verifies it, as it has the device's
    /// key.
    ///
    /// Each proof also counts as a write of documents. Attack: an account's own session repeats
    /// them without end, and each is a row of the audit trail.
    func reauthenticate(
        _ request: GatewayV1.ReauthenticateRequest, _ context: CallContext
    ) async throws -> GatewayV1.ReauthenticateResponse {
        let onward = try context.onward(for: AccountSessionsDescription.reauthenticate)
        let device = try request.device.requiredID()
        guard let shown = request.proof else {
            throw ServiceError(.invalidArgument, fields: ["proof"])
        }
        let account = try await account(context)
        var reauthentication = SessionV1.ReauthenticateRequest(device: request.device)
        reauthentication.proof = try await limits.charging(
            .documentWrite(account: account.accountId), context
        ) {
            try await prove(request, shown, of: account, on: device, context, onward)
        }.answer
        if case .deviceKey(let presence) = shown {
            reauthentication.presence = presence
        }
        let answer = try await devices.reauthenticate(reauthentication, onward)
        await remember(shown, of: account, on: device, context)
        return answer
    }

    /// Records the device as known where the proof was not a password. A right password does that
    /// when its charge is refunded (`RateLimiter.remember`).
    private func remember(
        _ shown: GatewayV1.ReauthenticateRequest.Proof, of account: GatewayV1.Account,
        on device: String, _ context: CallContext
    ) async {
        if case .password = shown { return }
        await limits.remember(account.email, on: device, context)
    }

    /// The account of the caller's session. It is read before a password is verified.
    private func account(_ context: CallContext) async throws -> GatewayV1.Account {
        let answer = try await accounts.getAccount(
            IdentityV1.GetAccountRequest(accountId: tokens.requiredAccount(context)),
            context.onward())
        guard let account = answer.account else { throw ServiceError(.invalidCredential) }
        return account
    }

    /// Has the identity service verify a password, a provider's token or a code: it checks whose
    /// session calls, and whether the proof is one of its account. A device's proof is verified later,
    /// by the session service.
    /// - Returns: nil for a device's proof.
    private func prove(
        _ request: GatewayV1.ReauthenticateRequest,
        _ shown: GatewayV1.ReauthenticateRequest.Proof, of account: GatewayV1.Account,
        on device: String, _ context: CallContext, _ onward: CallContext
    ) async throws -> IdentityV1.SignInProof? {
        switch shown {
        case .password(let password):
            // Its guess is refunded if it is right.
            let signIn = GatewayV1.SignInWithPasswordRequest(
                email: account.email, password: password, device: request.device)
            return try await verify(signIn, of: account, on: device, context, onward)
        case .deviceKey:
            // For a password, the identity service checks the account's status itself.
            guard account.status == .active else { throw ServiceError(.accountDisabled) }
            return nil
        case .providerToken:
            return try await limits.countingProviderToken(
                .providerProof(
                    account: account.accountId, device: device, caller: LimitedCaller(context)),
                context
            ) {
                try await identities.proveByProvider(request, onward)
            }.proof
        case .phoneCode(let code):
            return try await limits.countingPhoneCode(
                PhoneNumber.required(code.phoneNumber), request: code.requestId, device: device,
                context
            ) {
                try await codes.proveByCode(request, onward)
            }.proof
        }
    }

    private func verify(
        _ signIn: GatewayV1.SignInWithPasswordRequest, of account: GatewayV1.Account,
        on device: String, _ context: CallContext, _ onward: CallContext
    ) async throws -> IdentityV1.SignInProof? {
        // An account without an email has no password.
        guard !account.email.isEmpty else { throw ServiceError(.invalidCredential) }
        let (verified, charge) = try await limits.countingPasswordGuess(
            email: account.email, device: device, settledBy: accounts, context
        ) { chargeID in
            try await accounts.verifyPassword(
                IdentityV1.VerifyPasswordRequest(
                    signIn: signIn, inOwnSession: true, chargeId: chargeID), onward)
        }
        await limits.succeed(charge, context)
        // The email may have moved to another account between the two calls.
        guard verified.account?.accountId == account.accountId else {
            throw ServiceError(.invalidCredential)
        }
        return verified.proof
    }
}
