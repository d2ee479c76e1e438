import IdentityService
import Messages
import RPC
import ServiceRuntime

extension AccountAdminHandler {
    /// Repairs an orphan for an operator, after it was checked again (I-04, I-09). An orphan of a
    /// kind without a repair is refused.
    func repairOrphan(
        _ request: GatewayV1.RepairOrphanRequest, _ context: CallContext
    ) async throws -> GatewayV1.RepairOrphanResponse {
        let caller = try AdminCaller(context, actor: request.actor, settings)
        let account = try AccountID.required(request.accountId)
        let kind = try OrphanKind.required(request.kind)
        let isRepaired =
            switch kind.repair {
            case .giveProfile: try await orphans.giveProfile(to: account, by: caller)
            case .forgetData: try await orphans.forgetData(kind, of: account, by: caller, context)
            case .removeRow: try await orphans.removeRow(kind, of: account, by: caller)
            case nil: throw ServiceError(.invalidArgument, fields: ["kind"])
            }
        return GatewayV1.RepairOrphanResponse(repaired: isRepaired)
    }
}
