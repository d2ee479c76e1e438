import Messages
import RPC

extension AccountExportsHandler {
    /// The export of the caller's account (G-21).
    /// - Throws: as `export(of:_:)`.
    func getDataExport(
        _ request: IdentityV1.GetDataExportRequest, _ context: CallContext
    ) async throws -> IdentityV1.GetDataExportResponse {
        IdentityV1.GetDataExportResponse(
            dataExport: try await export(of: request.accessToken, context).message)
    }
}
