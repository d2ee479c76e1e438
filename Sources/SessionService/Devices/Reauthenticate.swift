import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension DevicesHandler {
    /// Reauthenticates the owner of a live session (G-13): by a sign-in proof of identity, or by
    /// the key that the session is bound to. The session and its refresh token family continue. The
    /// new access token has the new `auth_time` and `amr`, and so has every later one. The
    /// sign-in's proof stays as it was: the session's limits depend on it, and a password change
    /// ends the session however often the old password was entered since (S-06).
    func reauthenticate(
        _ request: SessionV1.ReauthenticateRequest, _ context: CallContext
    ) async throws -> GatewayV1.ReauthenticateResponse {
        let text = try context.requiredAccessToken()
        let token = try caller(text)
        let origin = CallOrigin(RelayedOrigin(context, on: request.device), hash: keys.audit)
        let grant =
            if let presence = request.presence {
                try await grant(presence, on: text, request, token, origin)
            } else {
                try await grant(
                    request.proof, token, origin,
                    RepeatableCall(
                        "Reauthenticate", [Array(token.session.text.utf8)], context,
                        hash: keys.calls))
            }
        let access = try accessTokens.issue(
            grant, sessionEnd: life.unusedEnd(of: grant.session), keys.claims, randomness)
        return GatewayV1.ReauthenticateResponse(
            accessToken: access.text, accessExpiresAtMs: access.expiresAt.milliseconds,
            authenticatedAtMs: grant.session.proofs.latest.at.milliseconds)
    }

    /// By identity's proof. A retry brings a new proof, which is consumed, and returns the stored
    /// response without a new record (G-25). A device's proof needs no idempotency key: a repeated
    /// one is recognised.
    private func grant(
        _ message: IdentityV1.SignInProof?, _ token: AccessToken, _ origin: CallOrigin,
        _ call: RepeatableCall?
    ) async throws -> TokenGrant {
        guard let proof = proofs.proof(message), proof.account == token.account,
            SignInProofRule.isFor(.reauthentication, proof)
        else { throw ServiceError(.invalidSignInProof) }
        let recordsNewcomers = memory.newcomers.recordsNext(from: origin, at: time.now())
        let outcome = try await store.write(about: [
            .account(token.account), .session(token.session),
        ]) { transaction -> FlowOutcome<TokenGrant> in
            let session = try liveSession(token, transaction, at: transaction.at)
            let first = try transaction.storedResponse(of: call)
            let accountEnd = try transaction.accountEnd(of: proof.account)
            guard SignInProofRule.accepts(proof, accountEnd: accountEnd, at: transaction.at),
                try transaction.useProof(proof)
            else { return .refused(.invalidSignInProof) }
            if let first {
                return .done(
                    TokenGrant(
                        session: session, repeating: first,
                        claims: try transaction.claims(of: session)))
            }
            let shown = SessionProof(methods: proof.methods, at: proof.authenticatedAt)
            let grant = try record(
                shown, of: session, by: token, origin, recordsNewcomers: recordsNewcomers,
                transaction)
            try transaction.remember(call, StoredGrant(grant))
            return .done(grant)
        }
        return try settle(outcome, origin)
    }

    /// By the device. Its signature is checked before the transaction; a session's key never
    /// changes in between. When there is nothing new to write, there is no transaction: a client
    /// that sends one signature repeatedly must not fill the audit trail or block the writer.
    private func grant(
        _ presence: GatewayV1.PresenceProof, on accessToken: String,
        _ request: SessionV1.ReauthenticateRequest, _ token: AccessToken, _ origin: CallOrigin
    ) async throws -> TokenGrant {
        guard request.proof == nil else { throw ServiceError(.invalidArgument, fields: ["proof"]) }
        let (session, claims) = try await store.read { store in
            let session = try liveSession(token, store, at: time.now())
            return (session, try store.claims(of: session))
        }
        let finding = Result { () throws(ServiceError) in
            try PresenceProofRule.proof(
                presence, on: accessToken, by: session.deviceKey, at: time.now())
        }
        switch finding {
        case .success(let proof):
            if session.proofs.contains(proof) {
                return TokenGrant(
                    session: session, reissuing: token, givenAt: time.now(), claims: claims)
            }
        case .failure(let error):
            let use = RejectedTokenCounter.Kind(of: session, .reauthenticationRefused, error.code)
            if memory.rejectedTokens.countFurther(use) { throw ServiceError(error.code) }
        }
        return try await write(finding, token, origin)
    }

    /// Writes the result of checking a device's proof.
    private func write(
        _ finding: Result<SessionProof, ServiceError>, _ token: AccessToken, _ origin: CallOrigin
    ) async throws -> TokenGrant {
        let recordsNewcomers = memory.newcomers.recordsNext(from: origin, at: time.now())
        let outcome = try await store.write(about: [.session(token.session)]) {
            transaction -> FlowOutcome<TokenGrant> in
            let session = try liveSession(token, transaction, at: transaction.at)
            switch finding {
            case .success(let proof):
                return .done(
                    try record(
                        proof, of: session, by: token, origin, recordsNewcomers: recordsNewcomers,
                        transaction))
            case .failure(let error):
                let rejected = try memory.rejectedTokens.auditUse(
                    of: session, .reauthenticationRefused, error.code, origin,
                    recordsNewcomers: recordsNewcomers, transaction)
                return .refused(error.code, rejected: rejected)
            }
        }
        return try settle(outcome, origin)
    }

    /// Settles what was recorded, and counts it if it is a newcomer's.
    private func settle(
        _ outcome: FlowOutcome<TokenGrant>, _ origin: CallOrigin
    ) throws(ServiceError) -> TokenGrant {
        let grant = try memory.settle(outcome)
        if grant.isNewcomersRecord { memory.newcomers.count(from: origin, at: time.now()) }
        return grant
    }

    private func record(
        _ proof: SessionProof, of session: Session, by token: AccessToken, _ origin: CallOrigin,
        recordsNewcomers: Bool, _ transaction: Transaction
    ) throws -> TokenGrant {
        var session = session
        session.proofs.record(proof)
        session.usedAt = max(session.usedAt, transaction.at)
        try transaction.recordProofs(of: session)
        var grant = TokenGrant(
            session: session, reissuing: token, givenAt: transaction.at,
            claims: try transaction.claims(of: session))
        let detail = AuditDetail.authentication(proof.methods)
        if recordsNewcomers || !session.isNewcomers(at: transaction.at) {
            try transaction.audit(
                AuditEvent(.sessionReauthenticated, detail: detail).of(session).from(origin))
            grant.isNewcomersRecord = session.isNewcomers(at: transaction.at)
        } else {
            try transaction.auditCounted(.sessionReauthenticated, detail, from: origin)
        }
        return grant
    }
}
