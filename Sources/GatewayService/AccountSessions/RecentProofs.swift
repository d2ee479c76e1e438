import Contracts
import Messages
import RPC
import ServiceRuntime

/// Who has proved to be a session's owner lately.
struct RecentOwner: Hashable, Sendable {
    let sessionID: String
    let accountID: String
    /// By which proof.
    let proof: SessionV1.SessionProof
}

/// Lets a sensitive call go on only after a recent proof (`RecentProof`). How an account could prove
/// itself is asked of identity only for a refusal, and told only to who holds a live session of it.
struct RecentProofs: Sendable {
    let accounts: any AccountsAPI
    let devices: any DevicesAPI

    /// `checkRecentProof` asks for applications; what changes an email or the ways to sign in is
    /// identity's to guard.
    /// - Throws: `auth/requires-recent-login`, with what would do; `auth/invalid-access-token`,
    ///   `auth/session-ended`.
    func require(
        _ demand: RecentProof, of accessToken: String, _ context: CallContext
    ) async throws -> RecentOwner {
        let known = try await devices.listProofs(
            SessionV1.ListProofsRequest(accessToken: accessToken), context.onward())
        let now = Timestamp(milliseconds: known.nowMs)
        guard let proof = demand.found(in: known.proofs, at: now) else {
            throw demand.refusal(having: try await kinds(known, context))
        }
        return RecentOwner(
            sessionID: known.sessionId, accountID: known.accountId, proof: proof)
    }

    private func kinds(
        _ known: SessionV1.ListProofsResponse, _ context: CallContext
    ) async throws -> Set<ProofKind> {
        let request = IdentityV1.GetAccountRequest(accountId: known.accountId)
        do {
            let account = try await accounts.getAccount(request, context.onward()).account
            return Set(methods: account?.methods ?? [], hasDeviceKey: known.hasDeviceKey)
        } catch let error as ServiceError where error.code == .notFound {
            // An account that is gone has nothing to prove itself by.
            return []
        }
    }
}
