import Contracts
import Messages
import RPC

extension DataExportsHandler {
    /// G-21: the export of the caller's account.
    /// - Throws: `rpc/not-found`, `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/user-disabled`.
    func getDataExport(
        _ request: GatewayV1.GetDataExportRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetDataExportResponse {
        let answer = try await exports.getDataExport(
            IdentityV1.GetDataExportRequest(accessToken: try context.requiredAccessToken()),
            context.onward())
        return GatewayV1.GetDataExportResponse(dataExport: answer.dataExport)
    }
}
