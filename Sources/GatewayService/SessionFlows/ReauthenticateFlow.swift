import Contracts
import Messages
import RPC
import ServiceRuntime

/// G-13: who is signed in? → limit → verify → take the charge back, remember the device → note the
/// proof in the session.
/// The limits are those of a sign-in, and shared with it: a stolen access token must not be a way
/// around them to guess the password.
struct ReauthenticateFlow: Sendable {
    let accounts: any AccountsAPI
    let sessions: any SessionsAPI
    let devices: any DevicesAPI
    let limits: LimitGuard

    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/invalid-credential`,
    ///   `auth/too-many-requests`, `rpc/invalid-argument` without a proof.
    func run(
        _ request: GatewayV1.ReauthenticateRequest, _ context: CallContext
    ) async throws -> GatewayV1.ReauthenticateResponse {
        let origin = try Origin.of(request.device, context)
        guard case .password(let password)? = request.proof else {
            throw ServiceError(.invalidArgument, fields: ["proof"])
        }
        let account = try await account(request.accessToken, context)
        let proof = try await verify(password, request, of: account, origin, context)
        let answer = try await devices.reauthenticate(
            SessionV1.ReauthenticateRequest(
                accessToken: request.accessToken, proof: proof, origin: origin),
            context.onward())
        return GatewayV1.ReauthenticateResponse(
            accessToken: answer.accessToken, accessExpiresAtMs: answer.accessExpiresAtMs,
            authTimeMs: answer.authTimeMs)
    }

    /// Whose session it is; known before a password is looked at.
    private func account(
        _ accessToken: String, _ context: CallContext
    ) async throws -> IdentityV1.Account {
        let validity = try await sessions.validate(
            SessionV1.ValidateRequest(accessToken: accessToken), context.onward())
        guard validity.valid else { throw ServiceError(.invalidAccessToken) }
        let answer = try await accounts.getAccount(
            IdentityV1.GetAccountRequest(accountId: validity.accountId), context.onward())
        guard let account = answer.account, !account.email.isEmpty else {
            // An account without an address has no password either.
            throw ServiceError(.invalidCredential)
        }
        return account
    }

    private func verify(
        _ password: String, _ request: GatewayV1.ReauthenticateRequest,
        of account: IdentityV1.Account, _ origin: IdentityV1.Origin, _ context: CallContext
    ) async throws -> IdentityV1.SignInProof? {
        let (verified, charge) = try await PasswordVerification(accounts: accounts, limits: limits)
            .run(
                IdentityV1.VerifyPasswordRequest(
                    email: account.email, password: password, origin: origin),
                language: request.language, context, onward: context.onward())
        await limits.succeed(charge, context)
        // The address may have changed hands between the two questions.
        guard verified.account?.accountId == account.accountId else {
            throw ServiceError(.invalidCredential)
        }
        return verified.proof
    }
}
