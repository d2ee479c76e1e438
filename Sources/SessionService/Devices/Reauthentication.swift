import CallRecords
import Messages
import ServiceRuntime
import Storage

/// Notes for a live session that its owner has just proved to be it once more (G-13). The session
/// and its family of refresh tokens stay; the new access token tells the new `auth_time` and `amr`,
/// and so does every later one. When the session was opened by which proof stays as it was: a
/// password that is replaced ends it however often the old one was shown since (S-06).
struct Reauthentication: Sendable {
    let parts: SessionParts

    /// - Throws: `auth/invalid-access-token`, `auth/invalid-sign-in-proof` for a proof that would
    ///   open no session, or of another account; `auth/session-ended`.
    func run(
        _ request: SessionV1.ReauthenticateRequest
    ) async throws -> SessionV1.ReauthenticateResponse {
        let token = try parts.currentToken(request.accessToken)
        let origin = CallOrigin(request.origin, hash: parts.keys.audit)
        guard let proof = SignInProof(request.proof, seal: parts.keys.proofs),
            proof.account == token.account
        else { throw ServiceError(.invalidSignInProof) }
        let outcome = try await parts.store.write { try note(proof, token, origin, $0) }
        let grant = try parts.settle(outcome)
        let access = try parts.accessTokens.issue(
            grant, sessionEnd: parts.life.unusedEnd(of: grant.session), parts.randomness)
        return SessionV1.ReauthenticateResponse(
            accessToken: access.text, accessExpiresAtMs: access.expiresAt.milliseconds,
            authTimeMs: grant.session.authenticatedAt.milliseconds)
    }

    private func note(
        _ proof: SignInProof, _ token: AccessToken, _ origin: CallOrigin,
        _ transaction: Transaction
    ) throws -> FlowOutcome<TokenGrant> {
        guard var session = try parts.liveSession(token, transaction, at: transaction.at) else {
            return .refused(.sessionEnded)
        }
        let accountEnd = try transaction.accountEnd(of: proof.account)
        guard SignInProofRule.accepts(proof, accountEnd: accountEnd, at: transaction.at),
            try transaction.useProof(proof)
        else { return .refused(.invalidSignInProof) }
        session.authenticatedAt = proof.authenticatedAt
        session.methods = proof.methods
        session.usedAt = transaction.at
        try transaction.noteProof(of: session)
        try transaction.audit(
            AuditEvent(
                .sessionReauthenticated, account: session.account.key, session: session.id.key
            ).from(origin))
        return .done(TokenGrant(session: session, reissuing: token, givenAt: transaction.at))
    }
}
