import IdentityService
import Messages
import RPC
import ServiceRuntime

extension AccountExportsHandler {
    /// The export of the caller's account (G-21).
    func getDataExport(
        _ request: GatewayV1.GetDataExportRequest, _ call: AccountCall
    ) async throws -> GatewayV1.GetDataExportResponse {
        guard let export = try await export(of: call.account) else { throw ServiceError(.notFound) }
        return GatewayV1.GetDataExportResponse(dataExport: export.message)
    }
}
