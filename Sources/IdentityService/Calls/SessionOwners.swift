import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// Whose session an access token is of, as the session service says.
struct SessionOwner: Hashable, Sendable {
    let account: AccountID
    /// "ses_…".
    let session: String
    /// The earliest of the session's proofs (`SessionsEnd`). Not the latest: a stranger can pass the
    /// prompt of their own device at any time. Where the sign-in's has moved on, then by identity's
    /// word, which nobody gets by what an end of sessions has taken away.
    let provedAt: Timestamp
}

/// Asks the session service whose session asks, for what changes who may sign in to an account.
///
/// The account is never taken from a request: a gateway that was taken over could name any, and
/// attach an identity of its own to it.
struct SessionOwners: Sendable {
    let parts: IdentityParts
    let devices: any DevicesAPI

    /// The owner of a live session.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`.
    func owner(of accessToken: String, _ context: CallContext) async throws -> SessionOwner {
        try await known(accessToken, context).owner
    }

    /// The owner, who has proved to be it lately (G-13).
    /// - Throws: also `auth/requires-recent-login`, with what would do.
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

    /// The owner, the session's proofs, and the account's ways of signing in.
    private func known(
        _ accessToken: String, _ context: CallContext
    ) async throws -> (
        owner: SessionOwner, proofs: SessionV1.ListProofsResponse, methods: [String]
    ) {
        let proofs = try await devices.listProofs(
            SessionV1.ListProofsRequest(accessToken: accessToken), context.onward())
        guard let account = AccountID(text: proofs.accountId) else {
            throw ServiceError(.internalError, detail: "session names no account")
        }
        // An account that is gone has no sessions that could be used.
        guard let row = try await parts.store.read({ try $0.account(account) }) else {
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
