import Contracts
import Messages
import RPC
import ServiceRuntime

extension AccountSessionsHandler {
    /// The largest age that a request may allow, one day. An older proof is never recent.
    static let ageMax: Duration = .seconds(86_400)

    /// G-13 for an application's backend: whether a sensitive call may proceed, or the session's
    /// owner must re-authenticate first. Applies the same rule as our own rpcs (`RecentProof`).
    /// Not for calls that change an email or the sign-in methods: identity guards those itself.
    func checkRecentProof(
        _ request: GatewayV1.CheckRecentProofRequest, _ context: CallContext
    ) async throws -> GatewayV1.CheckRecentProofResponse {
        let demand = try Self.demand(request)
        let known = try await devices.listProofs(
            SessionV1.ListProofsRequest(accessToken: try context.requiredAccessToken()),
            context.onward())
        let now = Timestamp(milliseconds: known.nowMs)
        // A request names the assurance that it requires, so what the account can reach does not
        // matter.
        guard let proof = demand.found(in: known.proofs, highest: .aal2, at: now) else {
            throw demand.refusal(having: try await available(known, context))
        }
        return GatewayV1.CheckRecentProofResponse(
            sessionId: known.sessionId, accountId: known.accountId, amr: proof.amr,
            provedAtMs: proof.provedAtMs,
            acr: Assurance(ofSession: known.proofs.map(\.amr))?.rawValue ?? "")
    }

    /// The proofs that the account's owner can give, read for a refusal only. The session service has
    /// found the caller's live session, so only the account's owner learns them.
    private func available(
        _ known: SessionV1.ListProofsResponse, _ context: CallContext
    ) async throws -> AvailableProofs {
        let request = IdentityV1.GetAccountRequest(accountId: known.accountId, withProofs: true)
        do {
            let proofs = try await accounts.getAccount(request, context.onward()).proofs
            return AvailableProofs(proofs, hasDeviceKey: known.hasDeviceKey)
        } catch let error as ServiceError where error.code == .notFound {
            // A deleted account has nothing to prove itself with.
            return AvailableProofs([], hasDeviceKey: false)
        }
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
        let minimum = request.minAcr.isEmpty ? Assurance.aal1.rawValue : request.minAcr
        guard let least = Assurance(rawValue: minimum) else {
            throw ServiceError(.invalidArgument, fields: ["min_acr"])
        }
        return RecentProof(within: within, kinds: Set(kinds), assurance: .atLeast(least))
    }
}
