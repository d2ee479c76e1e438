import Contracts
import Messages
import RPC

extension DataExportsHandler {
    /// G-21: has the export of the caller's account deleted.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`.
    func cancelDataExport(
        _ request: GatewayV1.CancelDataExportRequest, _ context: CallContext
    ) async throws -> GatewayV1.CancelDataExportResponse {
        let answer = try await exports.cancelDataExport(
            IdentityV1.CancelDataExportRequest(
                accessToken: try context.requiredAccessToken(),
                origin: try Origin.of(nil, context)),
            context.onward())
        return GatewayV1.CancelDataExportResponse(cancelled: answer.cancelled)
    }
}
