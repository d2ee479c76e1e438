import Contracts
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension SessionsHandler {
    /// Opens a session for identity's sign-in proof, once (S-02): checks the proof, decides,
    /// writes, and responds once that is on disk.
    package func createSession(
        _ request: SessionV1.CreateSessionRequest, _ context: CallContext
    ) async throws -> SessionV1.CreateSessionResponse {
        try store.clock.requireAnswering()
        let origin = CallOrigin(RelayedOrigin(context, on: request.device), hash: keys.audit)
        let device = try SessionDevice(request.device, from: origin, hash: keys.devices)
        let deviceKey = try deviceKey(in: request)
        guard let proof = proofs.proof(request.proof) else {
            // The account in a forged proof proves nothing, so the audit record names none.
            try await store.write(about: []) { try $0.auditRefusedProof(nil, origin) }
            throw ServiceError(.invalidSignInProof)
        }
        guard SignInProofRule.isFor(.signIn, proof) else {
            try await store.write(about: []) { try $0.auditRefusedProof(proof.account, origin) }
            throw ServiceError(.invalidSignInProof)
        }
        // Stored responses have keys that contain the method's first name.
        let call = try RepeatableCall(
            "Create",
            [
                Array(proof.account.text.utf8), Array(proof.methods.joined(separator: " ").utf8),
                Array((request.device?.deviceId ?? "").utf8), deviceKey?.bytes ?? [],
            ], context, hash: keys.calls)
        await refreshTokens.renewIfDue(in: store, at: time.now())
        let outcome = try await store.write(about: [.account(proof.account)]) { transaction in
            try open(proof, device, deviceKey, call, origin, transaction)
        }
        let grant = try memory.settle(outcome)
        return SessionV1.CreateSessionResponse(session: try issueTokens(for: grant))
    }

    private func deviceKey(
        in request: SessionV1.CreateSessionRequest
    ) throws(ServiceError) -> DeviceKey? {
        let deviceID = request.device?.deviceId ?? ""
        guard let key = request.device?.key else {
            // A brief session has no refresh token, which a key would be for.
            if request.device?.brief != true {
                try settings.deviceBinding.requireTie(toDevice: deviceID)
            }
            return nil
        }
        return try DeviceKey(key, deviceID: deviceID)
    }

    private func open(
        _ proof: SignInProof, _ device: SessionDevice, _ deviceKey: DeviceKey?,
        _ call: RepeatableCall?, _ origin: CallOrigin, _ transaction: Transaction
    ) throws -> FlowOutcome<TokenGrant> {
        let accountEnd = try transaction.accountEnd(of: proof.account)
        guard SignInProofRule.accepts(proof, accountEnd: accountEnd, at: transaction.at) else {
            try transaction.auditRefusedProof(proof.account, origin)
            return .refused(.invalidSignInProof)
        }
        let first = try transaction.storedResponse(of: call)
        // A retried sign-in brings a new proof, which is consumed like any other.
        let isFirstUse = try transaction.useProof(proof)
        if let first { return try again(first, transaction) }
        guard isFirstUse else {
            try transaction.auditRefusedProof(proof.account, origin)
            return .refused(.invalidSignInProof)
        }
        let displaced = try displaceSessions(
            for: proof.account, isBrief: device.isBrief, origin, transaction)
        let grant = try start(proof, device, deviceKey, call, origin, transaction)
        return .done(grant, ended: displaced)
    }

    private func again(
        _ first: StoredGrant, _ transaction: Transaction
    ) throws -> FlowOutcome<TokenGrant> {
        guard
            let session = try SessionID(key: first.session).flatMap({
                try memory.session($0, in: transaction)
            }),
            life.state(of: session, at: transaction.at) == .live
        else { return .refused(.sessionEnded) }
        return .done(
            TokenGrant(
                session: session, repeating: first, claims: try transaction.claims(of: session)))
    }

    /// Ends the sessions over the limit of their kind (S-03). It happens in the opening's
    /// transaction, and the store has a single writer: concurrent sign-ins cannot exceed the limit.
    ///
    /// Brief sessions have a limit of their own. Attack: somebody with the password opens one page
    /// after another, and signs the owner's devices out.
    private func displaceSessions(
        for account: AccountID, isBrief: Bool, _ origin: CallOrigin, _ transaction: Transaction
    ) throws -> [RevokedSession] {
        let max = isBrief ? SessionDisplacement.briefMax : settings.sessionsMax
        // Usually the account is below the limit, which the index alone shows.
        guard try transaction.openSessionCount(of: account) >= max else { return [] }
        let live = try memory.openSessions(of: account, in: transaction)
            .filter { $0.isBrief == isBrief && life.state(of: $0, at: transaction.at) == .live }
        return try SessionDisplacement.displaced(among: live, max: max).map {
            try transaction.end($0, .displaced, from: origin)
        }
    }

    private func start(
        _ proof: SignInProof, _ device: SessionDevice, _ deviceKey: DeviceKey?,
        _ call: RepeatableCall?, _ origin: CallOrigin, _ transaction: Transaction
    ) throws -> TokenGrant {
        // Also without claims in the proof: they may have been set since it was made.
        let claims =
            try proof.claims.map {
                try transaction.take($0, of: proof.account, keys.claims).known
            } ?? transaction.knownClaims(of: proof.account)
        let session = Session(
            id: .drawn(from: randomness), account: proof.account, counter: 1,
            createdAt: transaction.at, usedAt: transaction.at, provedAt: proof.provedAt,
            proofs: SessionProofs(
                signIn: SessionProof(methods: proof.methods, at: proof.authenticatedAt)),
            rotatedAt: transaction.at, device: device.device, deviceKey: deviceKey,
            generation: proof.generation,
            endsAt: device.isBrief ? transaction.at + SessionLife.briefAge : nil,
            hasClaims: claims.map { !$0.isEmpty } ?? false)
        try transaction.insert(session, on: device.sealed(for: session.id, keys.devicesShown))
        try transaction.audit(
            AuditEvent(.sessionStarted, detail: .authentication(proof.methods))
                .of(session).from(origin))
        let grant = TokenGrant(session: session, givenAt: transaction.at, claims: claims)
        try transaction.remember(call, StoredGrant(grant))
        return grant
    }
}

extension Transaction {
    fileprivate func auditRefusedProof(_ account: AccountID?, _ origin: CallOrigin) throws {
        try audit(
            AuditEvent(.signInFailed, account: account?.key, outcome: .invalidSignInProof)
                .from(origin))
    }
}

/// Which of an account's live sessions of a kind end when one more is opened (S-03). Pure:
///
///     live sessions    end
///     below max        none
///     max or more      the least recently used, so that max − 1 remain beside the new one
///
/// Of two that were used at the same moment the one opened first ends, and of two opened at the
/// same moment the one with the smaller key, so that the result does not depend on the order of
/// rows.
enum SessionDisplacement {
    /// Live brief sessions of an account. Each is a page that its owner has open.
    static let briefMax = 5

    /// The sessions to end, the least recently used first.
    static func displaced(among live: [Session], max: Int) -> [Session] {
        let tooMany = live.count - (max - 1)
        guard tooMany > 0 else { return [] }
        return Array(live.sorted(by: isLessRecent).prefix(tooMany))
    }

    private static func isLessRecent(_ one: Session, _ other: Session) -> Bool {
        (one.usedAt, one.createdAt, one.id.key) < (other.usedAt, other.createdAt, other.id.key)
    }
}
