import Contracts
import Messages
import RPC
import ServiceRuntime

extension AccountSessionsHandler {
    /// The largest age that a request may allow, one day. An older proof is never recent.
    private static let ageMax: Duration = .seconds(86_400)

    /// G-13 for an application's backend: whether a sensitive call may proceed, or the session's
    /// owner must re-authenticate first. Applies the same rule as our own rpcs (`RecentProof`).
    /// - Throws: as `RecentProofs.require`; `rpc/invalid-argument` for a `max_age_ms` outside of 0
    ///   to one day and for an unknown kind of proof.
    func checkRecentProof(
        _ request: GatewayV1.CheckRecentProofRequest, _ context: CallContext
    ) async throws -> GatewayV1.CheckRecentProofResponse {
        let demand = try Self.demand(request)
        let owner = try await RecentProofs(accounts: accounts, devices: devices).require(
            demand, of: try context.requiredAccessToken(), context)
        return GatewayV1.CheckRecentProofResponse(
            sessionId: owner.sessionID, accountId: owner.accountID, amr: owner.proof.amr,
            provedAtMs: owner.proof.provedAtMs)
    }

    private static func demand(
        _ request: GatewayV1.CheckRecentProofRequest
    ) throws(ServiceError) -> RecentProof {
        let within: Duration =
            switch request.maxAge {
            case .maxAgeMs(let milliseconds): .milliseconds(milliseconds)
            case nil: RecentProof.standard.within
            }
        guard (.zero...ageMax).contains(within) else {
            throw ServiceError(.invalidArgument, fields: ["max_age_ms"])
        }
        let kinds = request.kinds.compactMap(ProofKind.init)
        guard kinds.count == request.kinds.count else {
            throw ServiceError(.invalidArgument, fields: ["kinds"])
        }
        return RecentProof(within: within, kinds: Set(kinds))
    }
}
