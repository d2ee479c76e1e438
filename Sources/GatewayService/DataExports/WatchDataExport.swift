import Contracts
import Messages
import RPC

extension DataExportsHandler {
    /// G-21: relays identity's stream of the export's states.
    /// - Throws: `rpc/not-found`, `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/user-disabled`.
    func watchDataExport(
        _ request: GatewayV1.WatchDataExportRequest,
        _ items: OutgoingItems<GatewayV1.WatchDataExportItem>, _ context: CallContext
    ) async throws {
        let states = exportStreams.watchDataExport(
            IdentityV1.WatchDataExportRequest(accessToken: try context.requiredAccessToken()),
            context.onward())
        for try await item in states {
            try await items.write(GatewayV1.WatchDataExportItem(dataExport: item.dataExport))
        }
    }
}
