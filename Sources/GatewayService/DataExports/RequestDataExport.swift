import Contracts
import Messages
import RPC
import ServiceRuntime

extension DataExportsHandler {
    /// G-21: identify the caller's account → charge the limit, unless there is an export already →
    /// have it ordered. Identity requires the recent proof.
    func requestDataExport(
        _ request: GatewayV1.RequestDataExportRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestDataExportResponse {
        let onward = try context.onward(for: DataExportsDescription.requestDataExport)
        let account = try await tokens.requiredAccount(context)
        if try await hasExport(context) {
            return try await exports.requestDataExport(request, onward)
        }
        return try await limits.charging(.dataExport(account: account), context) {
            try await exports.requestDataExport(request, onward)
        }.answer
    }

    private func hasExport(_ context: CallContext) async throws -> Bool {
        do {
            _ = try await existing.getDataExport(
                GatewayV1.GetDataExportRequest(),
                context.onward(for: DataExportsDescription.getDataExport))
            return true
        } catch let error as ServiceError where error.code == .notFound {
            return false
        }
    }
}
