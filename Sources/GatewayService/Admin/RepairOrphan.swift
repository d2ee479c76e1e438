import Contracts
import Messages
import RPC
import ServiceRuntime

extension AdminHandler {
    /// Relays the call, with the calling application in `actor`.
    /// - Throws: `rpc/permission-denied`, `rpc/invalid-argument`.
    func repairOrphan(
        _ request: GatewayV1.RepairOrphanRequest, _ context: CallContext
    ) async throws -> GatewayV1.RepairOrphanResponse {
        let answer = try await accounts.repairOrphan(
            IdentityV1.RepairOrphanRequest(
                kind: request.kind, accountId: request.accountId,
                actor: Self.actor(request.actor, context)), context.onward())
        return GatewayV1.RepairOrphanResponse(repaired: answer.repaired)
    }
}
