import Contracts
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension SessionsHandler {
    /// Ends the session of a token, or all of its account's sessions (G-09, S-06). Signing out
    /// succeeds where possible: the access token may have expired, and a session that is already
    /// over is no error. A token of such a session ends no other one.
    ///
    /// Ending all sessions needs a current access token; one that leaked long ago could otherwise
    /// end them. An expired one is rejected and does not even end its own session: its owner, who
    /// may have lost a phone, must not believe that all are over, and can refresh and retry.
    ///
    /// A repeat gets the first response (`endOnce`). The first call has ended the session of its
    /// token, so a replay of that token has nothing left to end.
    package func signOut(
        _ request: GatewayV1.SignOutRequest, _ context: CallContext
    ) async throws -> GatewayV1.SignOutResponse {
        try context.requireGateway()
        let outcome =
            if !request.refreshToken.isEmpty {
                try await signOut(byRefreshToken: request, context)
            } else if let token = try context.accessToken() {
                try await signOut(by: tokenOfAnyAge(token), request, context)
            } else {
                throw ServiceError.invalidArgument(
                    Metadata.Key.authorization, "Send the access token, or refresh_token instead.")
            }
        return GatewayV1.SignOutResponse(
            endedSessions: UInt32(clamping: try memory.settle(outcome)))
    }

    private func signOut(
        by token: AccessToken, _ request: GatewayV1.SignOutRequest, _ context: CallContext
    ) async throws -> FlowOutcome<Int> {
        let (all, call) = (request.all, try call(in: token.session, request, context))
        let origin = CallOrigin(RelayedOrigin(context), hash: keys.audit)
        // Also when the app is closed at once: its user expects to be signed out.
        return try await store.write(
            about: [.account(token.account), .session(token.session)], evenIfCancelled: true
        ) { transaction in
            try transaction.endOnce(call) {
                if all, transaction.at >= token.expiresAt { return .refused(.invalidAccessToken) }
                return try end(token.session, all: all, from: origin, transaction)
            }
        }
    }

    private func signOut(
        byRefreshToken request: GatewayV1.SignOutRequest, _ context: CallContext
    ) async throws -> FlowOutcome<Int> {
        let text = request.refreshToken
        guard let token = try await refreshTokens.token(text, in: store, time) else {
            throw ServiceError(.invalidRefreshToken)
        }
        let proof = try await finding(of: request.deviceProof, on: text, of: token.session)
        let (all, call) = (request.all, try call(in: token.session, request, context))
        let origin = CallOrigin(RelayedOrigin(context), hash: keys.audit)
        let recordsNewcomers = memory.newcomers.recordsNext(from: origin, at: time.now())
        return try await store.write(about: [.session(token.session)], evenIfCancelled: true) {
            transaction in
            try transaction.endOnce(call) {
                try end(
                    by: token, proof, all: all, from: origin, recordsNewcomers: recordsNewcomers,
                    transaction)
            }
        }
    }

    /// By the session and not its account: a key that was used in one session does not answer "signed
    /// out" in another one, which would stay live. A repeat may bring the session's other token, and
    /// a new proof.
    private func call(
        in session: SessionID, _ request: GatewayV1.SignOutRequest, _ context: CallContext
    ) throws(ServiceError) -> RepeatableCall? {
        var repeated = request
        (repeated.refreshToken, repeated.deviceProof) = ("", nil)
        return try RepeatableCall(
            "SignOut", of: AuthDescription.signOut.name, by: session.text,
            request: repeated.encoded(), context, hash: keys.calls)
    }

    private func tokenOfAnyAge(_ text: String) throws(ServiceError) -> AccessToken {
        guard let token = accessTokens.readRetired(text, at: time.now()) else {
            throw AccessTokenFault(unknown: text).error
        }
        return token
    }

    /// A refresh token signs out where it would refresh, and is a replay where it would be one. For
    /// a session that is bound to a key it needs the device's proof: a stolen token alone must not
    /// even sign its owner out.
    private func end(
        by token: RefreshToken, _ proof: DeviceProofRule.Finding, all: Bool,
        from origin: CallOrigin, recordsNewcomers: Bool, _ transaction: Transaction
    ) throws -> FlowOutcome<Int> {
        guard let session = try memory.session(token.session, in: transaction) else {
            return .done(0)
        }
        let decision = rotationDecision(
            on: token.counter, proof, isElsewhere: false, of: session, at: transaction.at)
        switch decision {
        case .rotate, .again, .isOver, .hasEnded:
            return try end(session.id, all: all, from: origin, transaction)
        case .replayed:
            let ended = try endReplayed(session, from: origin, transaction)
            return .refused(.refreshTokenReplayed, ended: [ended])
        case .refused(let code):
            let rejected = try memory.rejectedTokens.auditUse(
                of: session, .refreshRefused, code, origin, recordsNewcomers: recordsNewcomers,
                transaction)
            return .refused(code, rejected: rejected)
        case .unknown: return .refused(.invalidRefreshToken)
        }
    }

    private func end(
        _ id: SessionID, all: Bool, from origin: CallOrigin, _ transaction: Transaction
    ) throws -> FlowOutcome<Int> {
        guard let session = try memory.session(id, in: transaction) else { return .done(0) }
        if all { try transaction.lock(.account(session.account)) }
        let isLive = life.state(of: session, at: transaction.at) == .live
        let sessions =
            all && isLive
            ? try memory.openSessions(of: session.account, in: transaction) : [session]
        let (ended, live) = try transaction.end(
            sessions, .signedOut, life: life, from: origin)
        return .done(live, ended: ended)
    }
}
