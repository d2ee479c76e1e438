package import Contracts
import Messages
package import RPC
package import ServiceRuntime
import Storage

/// The account and session of an access token, as the session service reports them.
package struct SessionOwner: Hashable, Sendable {
    /// The account of the session.
    package let account: AccountID
    /// "ses_…".
    package let session: String
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
    let proofs: SessionV1.ListProofsResponse
    /// The proofs that the account's owner could give now.
    let available: AvailableProofs
    let isGuest: Bool

    /// Requires that the owner has authenticated recently (G-13).
    /// - Throws: `auth/requires-recent-login` with the acceptable kinds of proof.
    func require(_ demand: RecentProof) throws(ServiceError) {
        let now = Timestamp(milliseconds: proofs.nowMs)
        let proof = demand.found(in: proofs.proofs, highest: available.highest, at: now)
        guard proof == nil else { return }
        throw demand.refusal(having: available)
    }

    /// Requires what a call needs beside the account's password, which it brings along (F-04): a
    /// recent second proof if the account has a second factor, otherwise nothing.
    /// - Throws: as `require`.
    func requireBesidePassword() throws(ServiceError) {
        guard available.highest > .aal1 else { return }
        try require(.standard)
    }
}

/// The session in whose name a sign-up or a sign-in is made.
package struct CallingSession: Sendable {
    let account: AccountID
    /// Its owner, or why the session cannot be used. Only a repeat succeeds in such a session.
    package let owner: Result<SessionOwner, ServiceError>
}

extension CallingSession? {
    /// The subject of a write in the name of the session's account.
    var subjects: [Subject] { map { [.account($0.account)] } ?? [] }
}

extension CallingSession? {
    /// The account's id, as fingerprints have it (G-25): the same key in the name of another guest is
    /// another request. Empty outside a session.
    var caller: String { self?.account.text ?? "" }
}

/// Resolves an access token to its owner through the session service, for rpcs that change who may
/// sign in to an account.
///
/// The account is never read from a request: a compromised gateway could name any account and link
/// its own identity to it.
package struct SessionOwners: Sendable {
    let store: Store
    let writer: AccountWriter
    let settings: IdentitySettings
    let devices: any DevicesAPI
    /// Knows the account of an access token, also of an ended session.
    package let sessions: any SessionsAPI

    /// The owner of the live session of a call.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`.
    package func owner(in context: CallContext) async throws -> SessionOwner {
        try await known(in: context).owner
    }

    /// The owner of the live session of a call, who has authenticated recently (G-13).
    /// - Throws: as `owner(in:)`; `auth/requires-recent-login` with the acceptable kinds of proof.
    package func require(
        _ demand: RecentProof, in context: CallContext
    ) async throws -> SessionOwner {
        let known = try await known(in: context)
        try known.require(demand)
        return known.owner
    }

    /// As `require`, but a guest needs no proof: it has nothing to prove with, and its session is
    /// all there is of it.
    /// - Throws: as `require`.
    package func requireUnlessGuest(
        _ demand: RecentProof, in context: CallContext
    ) async throws -> SessionOwner {
        let known = try await known(in: context)
        if !known.isGuest { try known.require(demand) }
        return known.owner
    }

    /// The session in whose name a sign-up or a sign-in is made (`SESSION_OPTIONAL`); nil without an
    /// access token.
    ///
    /// The first call may have ended that session, so its repeat is looked up by its key before the
    /// token is judged (G-25). Therefore the account is read from a token of any age: it is a part
    /// of the fingerprint.
    /// - Throws: if the call has no idempotency key, or the token is not one of the session
    ///   service's, as `InspectSessionResponse.refusal`, and `auth/user-disabled`.
    func calling(in context: CallContext) async throws -> CallingSession? {
        guard let token = try context.accessToken() else { return nil }
        do {
            let owner = try await owner(in: context)
            return CallingSession(account: owner.account, owner: .success(owner))
        } catch let refused as ServiceError where refused.isOfSession || refused.isOfAccount {
            let state = try await state(of: token, context)
            let refusal =
                refused.isOfSession ? state.refusal(of: token, unknown: .sessionEnded) : refused
            guard context.idempotencyKey != nil, let account = AccountID(text: state.accountId)
            else { throw refusal }
            return CallingSession(account: account, owner: .failure(refusal))
        }
    }

    /// The owner of the session of a call that may have one (`SESSION_OPTIONAL`); nil without an
    /// access token.
    /// - Throws: as `InspectSessionResponse.refusal`, and `auth/user-disabled`.
    func optionalOwner(in context: CallContext) async throws -> SessionOwner? {
        guard let token = try context.accessToken() else { return nil }
        do {
            return try await owner(in: context)
        } catch let error as ServiceError where error.isOfSession {
            throw try await state(of: token, context).refusal(of: token, unknown: .sessionEnded)
        }
    }

    /// The state of the session of an access token of any age.
    private func state(
        of accessToken: String, _ context: CallContext
    ) async throws -> SessionV1.InspectSessionResponse {
        try await sessions.inspectSession(
            SessionV1.InspectSessionRequest(accessToken: accessToken), context.onward())
    }

    /// As `owner(in:)`, for rpcs that may require a recent proof.
    /// - Throws: as that.
    func known(in context: CallContext) async throws -> KnownOwner {
        let token = try context.requiredAccessToken()
        let proofs = try await devices.listProofs(
            SessionV1.ListProofsRequest(accessToken: token), context.onward())
        guard let account = AccountID(text: proofs.accountId) else {
            throw ServiceError(.internalError, detail: "a session without a valid account id")
        }
        let found = try await store.read { session -> (AccountRow, AvailableProofs)? in
            guard let row = try session.account(account) else { return nil }
            let available = try writer.availableProofs(
                of: row, settings, hasDeviceKey: proofs.hasDeviceKey, in: session)
            return (row, available)
        }
        // The sessions of a deleted account are unusable.
        guard let (row, available) = found else { throw ServiceError(.invalidAccessToken) }
        guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
        let provedAt = proofs.proofs.map(\.provedAtMs).min() ?? 0
        let owner = SessionOwner(
            account: account, session: proofs.sessionId,
            provedAt: Timestamp(milliseconds: provedAt), generation: proofs.sessionGeneration)
        return KnownOwner(
            owner: owner, proofs: proofs, available: available, isGuest: row.isGuest)
    }
}

extension ServiceError {
    /// It says that an access token is not valid.
    fileprivate var isOfSession: Bool { code == .invalidAccessToken || code == .sessionEnded }
    /// It says that an account may not be used.
    fileprivate var isOfAccount: Bool { code == .accountDisabled }
}
