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
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/invalid-credential`,
    ///   `auth/invalid-provider-token`, `auth/missing-or-invalid-nonce`,
    ///   `auth/provider-unavailable`, `auth/no-such-provider`, `auth/invalid-phone-number`,
    ///   `auth/invalid-verification-code`, `auth/code-expired`, `auth/too-many-requests`,
    ///   `auth/invalid-device-proof`, `auth/device-proof-stale`, `auth/user-disabled`;
    ///   `rpc/invalid-argument` without a proof.
    func reauthenticate(
        _ request: GatewayV1.ReauthenticateRequest, _ context: CallContext
    ) async throws -> GatewayV1.ReauthenticateResponse {
        let onward = try context.onward(for: "Reauthenticate")
        let origin = try Origin.of(request.device, context)
        guard let shown = request.proof else {
            throw ServiceError(.invalidArgument, fields: ["proof"])
        }
        let session = try await sessions.requiredSession(context)
        let account = try await account(of: session, context)
        var reauthentication = SessionV1.ReauthenticateRequest(
            accessToken: session.accessToken, origin: origin)
        reauthentication.proof = try await limits.charging(
            .documentWrite(account: account.accountId), context
        ) {
            try await prove(shown, of: account, in: session, origin, context, onward)
        }.answer
        if case .deviceKey(let presence) = shown {
            reauthentication.presence = presence
        }
        let answer = try await devices.reauthenticate(reauthentication, onward)
        await remember(shown, of: account, on: origin.deviceId, context)
        return GatewayV1.ReauthenticateResponse(
            accessToken: answer.accessToken, accessExpiresAtMs: answer.accessExpiresAtMs,
            authenticatedAtMs: answer.authTimeMs)
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
    private func account(
        of session: CallerSession, _ context: CallContext
    ) async throws -> GatewayV1.Account {
        let answer = try await accounts.getAccount(
            IdentityV1.GetAccountRequest(accountId: session.accountID), context.onward())
        guard let account = answer.account else { throw ServiceError(.invalidCredential) }
        return account
    }

    /// Has the identity service verify a password, a provider's token or a code. A device's proof is
    /// verified later, by the session service.
    /// - Returns: nil for a device's proof.
    private func prove(
        _ shown: GatewayV1.ReauthenticateRequest.Proof, of account: GatewayV1.Account,
        in session: CallerSession, _ origin: IdentityV1.Origin, _ context: CallContext,
        _ onward: CallContext
    ) async throws -> IdentityV1.SignInProof? {
        switch shown {
        case .password(let password):
            // Its guess is refunded if it is right.
            return try await verify(password, of: account, origin, context, onward)
        case .deviceKey:
            // For a password, the identity service checks the account's status itself.
            guard account.status == .active else { throw ServiceError(.accountDisabled) }
            return nil
        case .providerToken(let token):
            return try await prove(token, of: account, in: session, origin, context, onward)
        case .phoneCode(let code):
            return try await prove(code, in: session, origin, context, onward)
        }
    }

    /// The identity service checks whose session calls, and whether the token belongs to a provider
    /// that is linked to its account.
    private func prove(
        _ token: GatewayV1.ProviderToken, of account: GatewayV1.Account,
        in session: CallerSession, _ origin: IdentityV1.Origin, _ context: CallContext,
        _ onward: CallContext
    ) async throws -> IdentityV1.SignInProof? {
        try await limits.countingProviderToken(
            .providerProof(
                account: account.accountId, device: origin.deviceId, caller: LimitedCaller(context)),
            context
        ) {
            try await identities.proveByProvider(
                IdentityV1.ProveByProviderRequest(
                    accessToken: session.accessToken, token: token,
                    origin: origin), onward)
        }.proof
    }

    /// The identity service checks whose session calls, and whether the number is the one of its
    /// account.
    private func prove(
        _ shown: GatewayV1.PhoneCodeProof, in session: CallerSession,
        _ origin: IdentityV1.Origin, _ context: CallContext, _ onward: CallContext
    ) async throws -> IdentityV1.SignInProof? {
        let number = try PhoneNumber.required(shown.phoneNumber)
        return try await limits.countingPhoneCode(
            number, request: shown.requestId, device: origin.deviceId, context
        ) {
            try await codes.proveByCode(
                IdentityV1.ProveByCodeRequest(
                    accessToken: session.accessToken, requestId: shown.requestId,
                    phoneNumber: number.text, code: shown.code, origin: origin), onward)
        }.proof
    }

    private func verify(
        _ password: SecretBytes, of account: GatewayV1.Account, _ origin: IdentityV1.Origin,
        _ context: CallContext, _ onward: CallContext
    ) async throws -> IdentityV1.SignInProof? {
        // An account without an email has no password.
        guard !account.email.isEmpty else { throw ServiceError(.invalidCredential) }
        let (verified, charge) = try await limits.countingPasswordGuess(
            email: account.email, device: origin.deviceId, settledBy: accounts, context
        ) { chargeID in
            try await accounts.verifyPassword(
                IdentityV1.VerifyPasswordRequest(
                    email: account.email, password: password, origin: origin, inOwnSession: true,
                    chargeId: chargeID), onward)
        }
        await limits.succeed(charge, context)
        // The email may have moved to another account between the two calls.
        guard verified.account?.accountId == account.accountId else {
            throw ServiceError(.invalidCredential)
        }
        return verified.proof
    }
}
