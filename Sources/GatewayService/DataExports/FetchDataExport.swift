import Contracts
import Messages
import RPC

extension DataExportsHandler {
    /// G-21: relays the archive's bytes as the caller takes them. Identity decides who gets them.
    /// - Throws: `auth/requires-recent-login`, `auth/invalid-link`, `rpc/not-found`,
    ///   `rpc/invalid-argument`, `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/user-disabled`.
    func fetchDataExport(
        _ request: GatewayV1.FetchDataExportRequest,
        _ items: OutgoingItems<GatewayV1.FetchDataExportItem>, _ context: CallContext
    ) async throws {
        let archive = exportStreams.fetchDataExport(
            IdentityV1.FetchDataExportRequest(
                accessToken: try context.requiredAccessToken(), exportId: request.exportId,
                offset: request.offset, linkToken: request.linkToken,
                origin: try Origin.of(nil, context)),
            context.onward())
        for try await item in archive {
            try await items.write(GatewayV1.FetchDataExportItem(data: item.data))
        }
    }
}
