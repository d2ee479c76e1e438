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
    /// A password, a provider's token and a code share the limits of a sign-in, also one of an
    /// authenticator app, and a passkey. Attack: a stolen access token is used to guess the
    /// password outside those limits. A device's proof is a signature, which cannot be guessed. The
    /// session service verifies it, as it has the device's key.
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
        let proved = try await limits.charging(
            .documentWrite(account: account.accountId), context
        ) {
            try await prove(request, shown, of: account, on: device, context, onward)
        }.answer
        reauthentication.proof = proved.proof
        if case .deviceKey(let presence) = shown {
            reauthentication.presence = presence
        }
        var answer = try await devices.reauthenticate(reauthentication, onward)
        answer.recoveryCodesLeft = proved.recoveryCodesLeft
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

    /// What identity says of a proof.
    private struct Proved {
        /// Nil for a device's proof.
        var proof: IdentityV1.SignInProof?
        /// After a recovery code.
        var recoveryCodesLeft: UInt32 = 0
    }

    /// Has the identity service verify a password, a provider's token or a code: it checks whose
    /// session calls, and whether the proof is one of its account. A device's proof is verified later,
    /// by the session service.
    private func prove(
        _ request: GatewayV1.ReauthenticateRequest,
        _ shown: GatewayV1.ReauthenticateRequest.Proof, of account: GatewayV1.Account,
        on device: String, _ context: CallContext, _ onward: CallContext
    ) async throws -> Proved {
        switch shown {
        case .password:
            // Its guess is refunded if it is right.
            return Proved(
                proof: try await verify(request, of: account, on: device, context, onward))
        case .deviceKey:
            // For a password, the identity service checks the account's status itself.
            guard account.status == .active else { throw ServiceError(.accountDisabled) }
            return Proved()
        case .providerToken:
            let proved = try await limits.countingProviderToken(
                .providerProof(
                    account: account.accountId, device: device, caller: LimitedCaller(context)),
                context
            ) { _ in
                try await identities.proveByProvider(request, onward)
            }
            return Proved(proof: proved.proof)
        case .phoneCode(let code):
            let proved = try await limits.countingPhoneCode(
                PhoneNumber.required(code.phoneNumber), request: code.requestId, device: device,
                context
            ) { _ in
                try await codes.proveByCode(request, onward)
            }
            return Proved(proof: proved.proof)
        case .totpCode:
            return try await limits.countingSecondProof(context) {
                try await limits.countingTOTPCode(
                    of: account.accountId, after: .session, device: device, context
                ) { try await proveByFactor(request, onward) }
            }
        case .passkey:
            return try await limits.countingPasskey(context) { _ in
                try await proveByFactor(request, onward)
            }
        case .recoveryCode:
            let proved = try await limits.countingSecondProof(context) {
                try await proveByFactor(request, onward)
            }
            await limits.rememberFactor(
                of: account.accountId, after: .session, on: device, context)
            return proved
        }
    }

    private func proveByFactor(
        _ request: GatewayV1.ReauthenticateRequest, _ onward: CallContext
    ) async throws -> Proved {
        let proved = try await secondProofs.proveBySecondFactor(request, onward)
        return Proved(proof: proved.proof, recoveryCodesLeft: proved.recoveryCodesLeft)
    }

    /// Identity resolves the session's token itself, so the password is that of its account. The email
    /// is for the limits only.
    private func verify(
        _ request: GatewayV1.ReauthenticateRequest, of account: GatewayV1.Account,
        on device: String, _ context: CallContext, _ onward: CallContext
    ) async throws -> IdentityV1.SignInProof? {
        // An account without an email has no password.
        guard !account.email.isEmpty else { throw ServiceError(.invalidCredential) }
        let (proved, charge) = try await limits.countingPasswordGuess(
            email: account.email, device: device, settledBy: accounts, context
        ) { charge in
            try await accounts.proveByPassword(
                IdentityV1.ProveByPasswordRequest(
                    reauthentication: request, chargeId: charge.guess), onward)
        }
        await limits.succeed(charge, context)
        return proved.proof
    }
}
