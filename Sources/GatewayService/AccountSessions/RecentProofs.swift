import Contracts
import Messages
import RPC
import ServiceRuntime

/// The owner of a session who has given a recent proof.
struct RecentOwner: Hashable, Sendable {
    let sessionID: String
    let accountID: String
    /// The proof that satisfied the demand.
    let proof: SessionV1.SessionProof
}

/// Allows a sensitive call only after a recent proof (`RecentProof`). Only for a refusal are the
/// account's methods read from the identity service. They are returned only to a caller that holds
/// a live session of the account.
struct RecentProofs: Sendable {
    let accounts: any AccountsAPI
    let devices: any DevicesAPI

    /// Used by `checkRecentProof`, for applications. Calls that change an email or the sign-in
    /// methods are guarded by the identity service.
    /// - Throws: `auth/requires-recent-login`, with the acceptable proofs;
    ///   `auth/invalid-access-token`, `auth/session-ended`.
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
            // A deleted account has no method to prove itself with.
            return []
        }
    }
}
