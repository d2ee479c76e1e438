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
}

/// Resolves an access token to its owner through the session service, for rpcs that change who may
/// sign in to an account.
///
/// The account is never read from a request: a compromised gateway could name any account and link
/// its own identity to it.
struct SessionOwners: Sendable {
    let store: Store
    let devices: any DevicesAPI

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
        let (owner, proofs, methods) = try await known(accessToken, context)
        let now = Timestamp(milliseconds: proofs.nowMs)
        guard demand.found(in: proofs.proofs, at: now) != nil else {
            throw demand.refusal(
                having: Set(methods: methods, hasDeviceKey: proofs.hasDeviceKey))
        }
        return owner
    }

    /// The owner, the session's proofs, and the account's sign-in methods.
    private func known(
        _ accessToken: String, _ context: CallContext
    ) async throws -> (
        owner: SessionOwner, proofs: SessionV1.ListProofsResponse, methods: [String]
    ) {
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
            provedAt: Timestamp(milliseconds: provedAt))
        return (owner, proofs, row.methods)
    }
}
