import Contracts
import Cryptography
import Logging
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.session.v1.Devices`, and what session implements of
/// `postern.gateway.v1.AccountSessions`: what the owner of a session can see and do with the
/// account's sessions (G-22, G-13, G-30).
struct DevicesHandler: DevicesService, SessionAccountSessionsService {
    /// Far more than an account can have; only a store from before the limit could hold more.
    private static let listedMax = 200

    let store: Store
    let keys: SessionKeys
    let proofs: SignInProofReader
    let life: SessionLife
    let memory: SessionMemory
    let accessTokens: AccessTokens
    let validation: Validation
    let time: any Time
    let randomness: any Randomness
    let logger: Logger

    /// The access token of a caller, expired or not. The use of a valid one is recorded.
    /// - Throws: `auth/invalid-access-token` for one that is not ours; `rpc/unavailable` while the
    ///   clock is not trusted.
    func caller(_ text: String) throws(ServiceError) -> AccessToken {
        _ = try validation.run(SessionV1.ValidateAccessTokenRequest(accessToken: text))
        guard let token = accessTokens.readRetired(text, at: time.now()) else {
            throw AccessTokenFault(unknown: text).error
        }
        return token
    }

    /// The token's session. Its row must show that it is live, and the token must be current.
    /// - Throws: `auth/session-ended`, also for an expired token: a refresh would fail too;
    ///   `auth/invalid-access-token` for an expired token of a live session.
    func liveSession(
        _ token: AccessToken, _ store: some SQLSession, at now: Timestamp
    ) throws -> Session {
        guard let session = try memory.session(token.session, in: store),
            session.account == token.account
        else {
            let isDeleted = try store.isOfDeletedAccount(token.session, keys)
            throw ServiceError.sessionEnded(isDeleted ? .accountDeleted : nil)
        }
        if let reason = life.state(of: session, at: now).reason {
            throw ServiceError.sessionEnded(reason)
        }
        guard now < token.expiresAt else { throw AccessTokenFault.expired.error }
        return session
    }
}

extension DevicesHandler {
    /// Lists an account's live sessions for the owner of one of them (G-22).
    func listSessions(
        _ request: GatewayV1.ListSessionsRequest, _ call: SessionCall
    ) async throws -> GatewayV1.ListSessionsResponse {
        let (token, now) = (call.token, time.now())
        let rows = try await store.read { session in
            _ = try liveSession(token, session, at: now)
            return try session.openSessionsWithDevices(of: token.account)
        }
        let entries = try rows.map { (memory.activity.applied(to: $0.session), $0.device) }
            .filter { life.state(of: $0.0, at: now) == .live }
            .sorted { ($0.0.usedAt, $0.0.id.key) > ($1.0.usedAt, $1.0.id.key) }
            .prefix(Self.listedMax)
            .map { try entry($0, $1, current: token.session) }
        return GatewayV1.ListSessionsResponse(sessions: entries)
    }

    private func entry(
        _ session: Session, _ stored: SessionDevice.Stored, current: SessionID
    ) throws -> GatewayV1.SessionEntry {
        let device = try stored.opened(of: session.id, box: keys.devicesShown)
        return GatewayV1.SessionEntry(
            sessionId: session.id.text, deviceName: device.name, platform: stored.platform ?? "",
            createdAtMs: session.createdAt.milliseconds,
            lastUsedAtMs: session.usedAt.milliseconds, current: session.id == current,
            amr: session.proofs.latest.methods,
            authenticatedAtMs: session.proofs.latest.at.milliseconds,
            place: device.place?.shown ?? "", agent: device.agent,
            acr: session.proofs.assurance?.rawValue ?? "")
    }

    /// Returns how and when the owner of a session proved their identity, to the holder of a valid
    /// access token. Calls that require a recent proof decide by it (G-13).
    func listProofs(
        _ request: SessionV1.ListProofsRequest, _ context: CallContext
    ) async throws -> SessionV1.ListProofsResponse {
        let token = try caller(request.accessToken)
        let now = time.now()
        let session = try await store.read { try liveSession(token, $0, at: now) }
        return SessionV1.ListProofsResponse(
            sessionId: session.id.text, accountId: session.account.text,
            proofs: session.proofs.all.map {
                SessionV1.SessionProof(amr: $0.methods, provedAtMs: $0.at.milliseconds)
            },
            hasDeviceKey: session.deviceKey != nil, nowMs: now.milliseconds,
            sessionGeneration: session.generation)
    }

    /// Ends one session of the account (G-22, S-06). No recent proof is required: an owner who
    /// suspects that another person is signed in must be able to act at once, and a device whose
    /// session was ended by mistake can sign in again.
    ///
    /// Attack: the caller names another account's session. The response is the same as for a
    /// session that does not exist.
    func endSession(
        _ request: GatewayV1.EndSessionRequest, _ call: SessionCall
    ) async throws -> GatewayV1.EndSessionResponse {
        let ended = try await endOnce(call) { try end(request.sessionId, call, $0) }
        return GatewayV1.EndSessionResponse(endedSessions: ended)
    }

    /// Also when the app is closed at once: its user expects the sessions to end.
    private func endOnce(
        _ call: SessionCall, _ body: @escaping @Sendable (Transaction) throws -> FlowOutcome<Int>
    ) async throws -> UInt32 {
        let outcome = try await store.write(
            about: [.account(call.token.account), .session(call.token.session)],
            evenIfCancelled: true
        ) { transaction in
            try transaction.endOnce(call.repeatable) { try body(transaction) }
        }
        return UInt32(clamping: try memory.settle(outcome))
    }

    private func end(
        _ id: String, _ call: SessionCall, _ transaction: Transaction
    ) throws -> FlowOutcome<Int> {
        let token = call.token
        _ = try liveSession(token, transaction, at: transaction.at)
        guard let id = SessionID(text: id) else { return .refused(.sessionNotFound) }
        // A refresh of it, which is about its row only, must not run in between.
        try transaction.lock(.session(id))
        guard let session = try transaction.session(id), session.account == token.account
        else { return .refused(.sessionNotFound) }
        let (ended, live) = try transaction.end(
            [memory.activity.applied(to: session)], .signedOut, life: life, from: call.origin)
        return .done(live, ended: ended)
    }

    /// Ends all sessions of the account except the caller's (G-22, S-06). Like `endSession` it needs
    /// no recent proof.
    func endOtherSessions(
        _ request: GatewayV1.EndOtherSessionsRequest, _ call: SessionCall
    ) async throws -> GatewayV1.EndOtherSessionsResponse {
        GatewayV1.EndOtherSessionsResponse(
            endedSessions: try await endOnce(call) { try endOthers(call, $0) })
    }

    private func endOthers(
        _ call: SessionCall, _ transaction: Transaction
    ) throws -> FlowOutcome<Int> {
        let token = call.token
        _ = try liveSession(token, transaction, at: transaction.at)
        let others = try memory.openSessions(of: token.account, in: transaction)
            .filter { $0.id != token.session }
        let (ended, live) = try transaction.end(
            others, .signedOut, life: life, from: call.origin)
        return .done(live, ended: ended)
    }

    /// The longest `kind`, in bytes.
    static let kindBytesMax = 32

    /// Records that the session of an access token is in use (G-30), exactly as a validation of
    /// that token does: with a mark in memory (`Activity`), so that a call costs no write (S-05).
    ///
    /// Only a debug line has the kind. It is the app's own word: as a metric's label or as a row it
    /// would let a client fill memory or disk with words of its choice.
    func noteActivity(
        _ request: GatewayV1.NoteActivityRequest, _ call: SessionCall
    ) async throws -> GatewayV1.NoteActivityResponse {
        guard Self.isKind(request.kind) else {
            throw ServiceError(.invalidArgument, fields: ["kind"])
        }
        let now = time.now()
        let session = try await store.read { try liveSession(call.token, $0, at: now) }
        logger.debug(
            "session.activity.noted", "an app noted activity",
            fields: [.session: .text(session.id.text), .activity: .text(request.kind)])
        return GatewayV1.NoteActivityResponse(
            idleExpiresAtMs: life.unusedEnd(of: session).milliseconds)
    }

    private static func isKind(_ text: String) -> Bool {
        text.isName(1...kindBytesMax, [.lower, .digit], marks: "-")
    }
}
