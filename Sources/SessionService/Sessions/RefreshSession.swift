import Contracts
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension SessionsHandler {
    /// One use of a refresh token, with all that is known of it before the transaction.
    private struct RefreshTokenUse: Sendable {
        let token: RefreshToken
        let proof: DeviceProofRule.Finding
        /// Keyed hash of the device's id; nil where none was given.
        let device: [UInt8]?
        let origin: CallOrigin
        let call: RepeatableCall?
        /// Whether it is recorded even if it is rapid (`RapidRefreshes`). Read here, since the
        /// store's only writer should wait for no lock.
        let recordsRapidUse: Bool
        /// The same for a newcomer's session (`NewcomerRecords`).
        let recordsNewcomers: Bool
    }

    /// Exchanges a refresh token for its child (G-10): reads the token, checks the device's proof,
    /// decides, writes, and responds once that is on disk.
    package func refreshSession(
        _ request: GatewayV1.RefreshSessionRequest, _ context: CallContext
    ) async throws -> GatewayV1.RefreshSessionResponse {
        try context.requireGateway()
        try request.device?.requireBounds()
        try store.clock.requireAnswering()
        guard let token = try await refreshTokens.token(request.refreshToken, in: store, time)
        else {
            throw ServiceError(.invalidRefreshToken)
        }
        let use = try await makeUse(of: token, request, context)
        await refreshTokens.renewIfDue(in: store, at: time.now())
        let outcome = try await store.write(about: [.session(token.session)]) {
            try decideAndWrite(use, $0)
        }
        let grant = try memory.settle(outcome)
        if grant.isRapid { memory.rapidRefreshes.count(grant.session.id, at: time.now()) }
        if grant.isNewcomersRecord { memory.newcomers.count(from: use.origin, at: time.now()) }
        return GatewayV1.RefreshSessionResponse(session: try issueTokens(for: grant))
    }

    private func makeUse(
        of token: RefreshToken, _ request: GatewayV1.RefreshSessionRequest, _ context: CallContext
    ) async throws -> RefreshTokenUse {
        let deviceID = request.device?.deviceId ?? ""
        // Stored responses have keys that contain the method's first name. The fingerprint is that of
        // earlier versions too: an upgrade is when responses are lost.
        let call = try RepeatableCall(
            "Refresh",
            [
                Array(token.session.text.utf8), Array("\(token.counter)".utf8),
                Array(deviceID.utf8),
            ], context, hash: keys.calls)
        let origin = CallOrigin(RelayedOrigin(context, on: request.device), hash: keys.audit)
        let now = time.now()
        return RefreshTokenUse(
            token: token,
            proof: try await finding(
                of: request.deviceProof, on: request.refreshToken, of: token.session),
            device: SessionDevice.hash(of: deviceID, keys.devices), origin: origin, call: call,
            recordsRapidUse: memory.rapidRefreshes.recordsNext(of: token.session, at: now),
            recordsNewcomers: memory.newcomers.recordsNext(from: origin, at: now))
    }

    /// Decides and writes. A retry with an idempotency key gets its stored response, once it is
    /// clear that it comes from the device.
    private func decideAndWrite(
        _ use: RefreshTokenUse, _ transaction: Transaction
    ) throws -> FlowOutcome<TokenGrant> {
        guard let session = try memory.session(use.token.session, in: transaction) else {
            let isDeleted = try transaction.isOfDeletedAccount(use.token.session, keys)
            return isDeleted ? .isOver(.accountDeleted) : .refused(.sessionEnded)
        }
        let verdict = settings.deviceBinding.verdict(on: use.device, home: session.device)
        let decision = rotationDecision(
            on: use.token.counter, use.proof, isElsewhere: verdict == .refused, of: session,
            at: transaction.at)
        switch decision {
        case .rotate, .again:
            if let first = try transaction.storedResponse(of: use.call) {
                return .done(try again(first, of: session, transaction))
            }
        case .replayed:
            // An attacker with a stale token and the idempotency key of its use also gets here, and
            // gets the first response: its access token keeps its issue time, its refresh token
            // ends the family unless it is still the leaf. This is accepted: both come from one
            // request, as does its response, and without a device key nothing else tells a delayed
            // retry from a theft (README, "Limits of the rule").
            if let first = try transaction.storedResponseIfAny(of: use.call) {
                return .done(try again(first, of: session, transaction))
            }
        case .refused, .isOver, .hasEnded, .unknown: break
        }
        let isOtherDevice = verdict == .recorded && session.deviceKey == nil
        return try carryOut(decision, use, session, isOtherDevice: isOtherDevice, transaction)
    }

    private func again(
        _ first: StoredGrant, of session: Session, _ transaction: Transaction
    ) throws -> TokenGrant {
        TokenGrant(
            session: session, repeating: first, claims: try transaction.claims(of: session))
    }

    private func carryOut(
        _ decision: RefreshTokenRotation.Decision, _ use: RefreshTokenUse, _ session: Session,
        isOtherDevice: Bool, _ transaction: Transaction
    ) throws -> FlowOutcome<TokenGrant> {
        switch decision {
        case .rotate(let counter):
            let rotated = session.rotated(to: counter, at: transaction.at)
            try transaction.rotate(rotated)
            var grant = TokenGrant(
                session: rotated, givenAt: transaction.at,
                claims: try transaction.claims(of: rotated))
            grant.isRapid = transaction.at < session.rotatedAt + RapidRefreshes.interval
            grant.isNewcomersRecord = try record(
                .sessionRefreshed, grant, use, isOtherDevice, transaction)
            return .done(grant)
        case .again(let givenAt):
            var grant = TokenGrant(
                session: session, givenAt: givenAt, claims: try transaction.claims(of: session))
            grant.isRapid = true
            grant.isNewcomersRecord = try record(
                .refreshRepeated, grant, use, isOtherDevice, transaction)
            return .done(grant)
        case .replayed:
            let ended = try endReplayed(session, from: use.origin, transaction)
            return .refused(.refreshTokenReplayed, ended: [ended])
        case .isOver(let reason):
            let ended = try transaction.end(session, reason, from: use.origin)
            return .isOver(reason, ended: [ended])
        case .refused(let code):
            let rejected = try memory.rejectedTokens.auditUse(
                of: session, .refreshRefused, code, use.origin,
                recordsNewcomers: use.recordsNewcomers, transaction)
            return .refused(code, rejected: rejected)
        case .hasEnded:
            guard let reason = session.end?.reason else { return .refused(.sessionEnded) }
            // The client gets this code so that the user signs in with the provider again (G-24).
            return reason == .providerRevoked ? .refused(.providerRevoked) : .isOver(reason)
        case .unknown: return .refused(.invalidRefreshToken)
        }
    }

    /// - Returns: whether that is a newcomer's record.
    private func record(
        _ kind: AuditKind, _ grant: TokenGrant, _ use: RefreshTokenUse, _ isOtherDevice: Bool,
        _ transaction: Transaction
    ) throws -> Bool {
        guard use.recordsRapidUse || !grant.isRapid else { return false }
        let isNewcomers = grant.session.isNewcomers(at: transaction.at)
        guard use.recordsNewcomers || !isNewcomers else {
            try transaction.auditCounted(kind, from: use.origin)
            return false
        }
        for kind in isOtherDevice ? [kind, .refreshElsewhere] : [kind] {
            try transaction.audit(AuditEvent(kind).of(grant.session).from(use.origin))
        }
        try transaction.remember(use.call, StoredGrant(grant))
        return isNewcomers
    }
}

extension Session {
    /// The session with its next leaf.
    fileprivate func rotated(to counter: Int64, at moment: Timestamp) -> Session {
        var session = self
        session.counter = counter
        session.usedAt = moment
        session.rotatedAt = moment
        return session
    }
}

/// What `refreshSession` and `signOut` do with a refresh token before they change anything.
extension SessionsHandler {
    /// Checks the proof sent with a token of session `id`. Verifying a signature takes 0.1 ms, so
    /// it is done before the transaction, outside the store's only writer. A session's key never
    /// changes in between.
    func finding(
        of proof: GatewayV1.DeviceProof?, on token: String, of id: SessionID
    ) async throws -> DeviceProofRule.Finding {
        guard let proof else { return .absent }
        let key = try await store.read { try $0.deviceKey(of: id) }
        return DeviceProofRule.finding(proof, on: token, by: key, at: time.now())
    }

    /// The rotation rule's decision on a token of `session`.
    /// - Parameter isElsewhere: it comes from a device that `DeviceBinding` refuses.
    func rotationDecision(
        on counter: Int64, _ proof: DeviceProofRule.Finding, isElsewhere: Bool, of session: Session,
        at now: Timestamp
    ) -> RefreshTokenRotation.Decision {
        RefreshTokenRotation.decision(
            on: RefreshTokenRotation.Use(
                counter: counter, proof: proof, isElsewhere: isElsewhere),
            of: RefreshTokenRotation.Family(
                leaf: session.counter, rotatedAt: session.rotatedAt,
                // The existence of a leaf shows that its parent was used.
                confirmed: memory.confirmations.hasSeen(session.id, session.counter)
                    ? session.counter : session.counter - 1,
                isBound: session.deviceKey != nil),
            life.state(of: session, at: now), grace: settings.refreshGrace, at: now)
    }
}
