import Contracts
import Messages
import RPC
import ServiceRuntime

extension DataExportsHandler {
    /// G-21: identify the caller's account → charge the limit, unless there is an export already →
    /// have it ordered. Identity requires the recent proof.
    /// - Throws: `auth/requires-recent-login`, `auth/too-many-requests`,
    ///   `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`.
    func requestDataExport(
        _ request: GatewayV1.RequestDataExportRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestDataExportResponse {
        let origin = try Origin.of(nil, context)
        let session = try await sessions.requiredSession(context)
        let order = IdentityV1.RequestDataExportRequest(
            accessToken: session.accessToken, origin: origin,
            acceptLanguage: context.metadata.acceptedVoice?.tag ?? "")
        if try await hasExport(context) {
            return try await exports.requestDataExport(order, context.onward())
        }
        return try await limits.charging(.dataExport(account: session.accountID), context) {
            try await exports.requestDataExport(order, context.onward())
        }.answer
    }

    private func hasExport(_ context: CallContext) async throws -> Bool {
        do {
            _ = try await existing.getDataExport(
                GatewayV1.GetDataExportRequest(),
                context.relayed(to: DataExportsDescription.getDataExport))
            return true
        } catch let error as ServiceError where error.code == .notFound {
            return false
        }
    }
}
