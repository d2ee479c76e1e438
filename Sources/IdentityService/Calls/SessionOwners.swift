import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// The account and session of an access token, as the session service reports them.
struct SessionOwner: Hashable, Sendable {
    let account: AccountID
    /// "ses_…".
    let session: String
    /// The time of the earliest of the session's proofs (`SessionsEnd`). The latest would be wrong:
    /// an attacker can pass the prompt of their own device at any time. The earliest moves forward
    /// only if the proof of the sign-in is replaced by a later one that identity issued, and an
    /// attacker cannot get that with the credentials that ending the sessions removed.
    let provedAt: Timestamp
    /// The session generation of the proof that opened the session; 0 where unknown.
    var generation: Int64 = 0
}

/// The owner of a live session, with what session knows of how they authenticated.
struct KnownOwner: Sendable {
    let owner: SessionOwner
    fileprivate let proofs: SessionV1.ListProofsResponse
    /// The account's sign-in methods.
    fileprivate let methods: [String]

    /// Requires that the owner has authenticated recently (G-13).
    /// - Throws: `auth/requires-recent-login` with the acceptable kinds of proof.
    func require(_ demand: RecentProof) throws(ServiceError) {
        let now = Timestamp(milliseconds: proofs.nowMs)
        guard demand.found(in: proofs.proofs, at: now) == nil else { return }
        throw demand.refusal(
            having: Set(methods: methods, hasDeviceKey: proofs.hasDeviceKey))
    }
}

/// The session in whose name a sign-up or a sign-in is made.
struct CallingSession: Sendable {
    let account: AccountID
    /// Its owner, or why the session cannot be used. Only a repeat succeeds in such a session.
    let owner: Result<SessionOwner, ServiceError>
}

extension CallingSession? {
    /// The subject of a write in the name of the session's account.
    var subjects: [Subject] { map { [.account($0.account)] } ?? [] }
}

extension AccountID? {
    /// The part of a fingerprint that names the account of the calling session (G-25): the same key
    /// in the name of another guest is another request. Outside a session there is no such part, as
    /// in responses that earlier versions stored.
    var fingerprint: [[UInt8]] { map { [Array($0.text.utf8)] } ?? [] }
}

/// Resolves an access token to its owner through the session service, for rpcs that change who may
/// sign in to an account.
///
/// The account is never read from a request: a compromised gateway could name any account and link
/// its own identity to it.
struct SessionOwners: Sendable {
    let store: Store
    let devices: any DevicesAPI
    /// Knows the account of an access token, also of an ended session.
    let sessions: any SessionsAPI

    /// The owner of a live session.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`.
    func owner(of accessToken: String, _ context: CallContext) async throws -> SessionOwner {
        try await known(accessToken, context).owner
    }

    /// The owner of a live session who has authenticated recently (G-13).
    /// - Throws: as `owner(of:_:)`; `auth/requires-recent-login` with the acceptable kinds of
    ///   proof.
    func require(
        _ demand: RecentProof, of accessToken: String, _ context: CallContext
    ) async throws -> SessionOwner {
        let known = try await known(accessToken, context)
        try known.require(demand)
        return known.owner
    }

    /// As `require`, but a guest needs no proof: it has nothing to prove with, and its session is
    /// all there is of it.
    /// - Throws: as `require`.
    func requireUnlessGuest(
        _ demand: RecentProof, of accessToken: String, _ context: CallContext
    ) async throws -> SessionOwner {
        let owner = try await owner(of: accessToken, context)
        guard try await !store.account(owner.account).isGuest else { return owner }
        return try await require(demand, of: accessToken, context)
    }

    /// The session in whose name a sign-up or a sign-in is made; nil without an access token.
    ///
    /// The first call may have ended that session, so its repeat is looked up by its key before the
    /// token is judged (G-25). Therefore the account is read from a token of any age: it is a part
    /// of the fingerprint.
    /// - Throws: as `owner(of:_:)`, if the call has no idempotency key, or the token is not one of
    ///   the session service's.
    func calling(
        _ accessToken: String, _ context: CallContext
    ) async throws -> CallingSession? {
        guard !accessToken.isEmpty else { return nil }
        do {
            let owner = try await owner(of: accessToken, context)
            return CallingSession(account: owner.account, owner: .success(owner))
        } catch let refused as ServiceError {
            guard context.idempotencyKey != nil else { throw refused }
            let state = try await sessions.inspectSession(
                SessionV1.InspectSessionRequest(accessToken: accessToken), context.onward())
            guard let account = AccountID(text: state.accountId) else { throw refused }
            return CallingSession(account: account, owner: .failure(refused))
        }
    }

    /// As `owner(of:_:)`, for rpcs that may require a recent proof.
    /// - Throws: as that.
    func known(_ accessToken: String, _ context: CallContext) async throws -> KnownOwner {
        let proofs = try await devices.listProofs(
            SessionV1.ListProofsRequest(accessToken: accessToken), context.onward())
        guard let account = AccountID(text: proofs.accountId) else {
            throw ServiceError(.internalError, detail: "a session without a valid account id")
        }
        // The sessions of a deleted account are unusable.
        guard let row = try await store.read({ try $0.account(account) }) else {
            throw ServiceError(.invalidAccessToken)
        }
        guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
        let provedAt = proofs.proofs.map(\.provedAtMs).min() ?? 0
        let owner = SessionOwner(
            account: account, session: proofs.sessionId,
            provedAt: Timestamp(milliseconds: provedAt), generation: proofs.sessionGeneration)
        return KnownOwner(owner: owner, proofs: proofs, methods: row.methods)
    }
}
