import CallRecords
import Messages
import RPC
import ServiceRuntime
import Storage

/// Exchanges a refresh token for its child (G-10): reads the token, decides, writes, and answers
/// once that is on disk.
struct Refresh: Sendable {
    let parts: SessionParts

    /// - Throws: `auth/invalid-refresh-token`, `auth/session-ended`, `auth/refresh-token-replayed`,
    ///   `auth/idempotency-key-reused`.
    func run(
        _ request: SessionV1.RefreshRequest, _ context: CallContext
    ) async throws -> SessionV1.RefreshResponse {
        guard let token = parts.keys.refreshTokens.token(request.refreshToken) else {
            throw ServiceError(.invalidRefreshToken)
        }
        let origin = CallOrigin(request.origin, hash: parts.keys.audit)
        let call = try RepeatableCall(
            "Refresh",
            [
                Array(token.session.text.utf8), Array("\(token.counter)".utf8),
                Array((request.origin?.deviceId ?? "").utf8),
            ], context, hash: parts.keys.calls)
        let outcome = try await parts.store.write { transaction in
            try rotate(token, call, origin, transaction)
        }
        let grant = try parts.settle(outcome)
        return SessionV1.RefreshResponse(
            tokens: try TokenIssuing(parts: parts).tokens(grant),
            accountId: grant.session.account.text)
    }

    private func rotate(
        _ token: RefreshToken, _ call: RepeatableCall?, _ origin: CallOrigin,
        _ transaction: Transaction
    ) throws -> FlowOutcome<TokenGrant> {
        guard
            var session = try transaction.session(token.session).map(parts.activity.applied(to:))
        else { return .refused(.sessionEnded) }
        if parts.life.state(of: session, at: transaction.at) == .live,
            let first = try transaction.firstAnswer(of: call)
        {
            return .done(TokenGrant(session: session, repeating: first))
        }
        let decision = RefreshTokenRotation.decision(
            counter: token.counter, of: session, life: parts.life, at: transaction.at)
        switch decision {
        case .rotate(let counter):
            session.counter = counter
            session.usedAt = transaction.at
            return .done(try keep(session, call, origin, transaction))
        case .replayed:
            let ended = try transaction.end(session, .replayed, from: origin)
            return .refused(.refreshTokenReplayed, ended: [ended])
        case .isOver(let reason):
            let ended = try transaction.end(session, reason, from: origin)
            return .refused(.sessionEnded, ended: [ended])
        case .hasEnded: return .refused(.sessionEnded)
        case .unknown: return .refused(.invalidRefreshToken)
        }
    }

    private func keep(
        _ session: Session, _ call: RepeatableCall?, _ origin: CallOrigin,
        _ transaction: Transaction
    ) throws -> TokenGrant {
        try transaction.rotate(session)
        try transaction.audit(
            AuditEvent(
                .sessionRefreshed, account: session.account.key, session: session.id.key
            ).from(origin))
        let grant = TokenGrant(session: session, givenAt: transaction.at)
        try transaction.remember(call, FirstAnswer(grant))
        return grant
    }
}
