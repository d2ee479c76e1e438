import IdentityService
import Messages
import RPC
import ServiceRuntime

extension AccountExportsHandler {
    /// Streams the export of the caller's account, now and at each change, until it is ready or
    /// there is none any more (G-21).
    func watchDataExport(
        _ request: GatewayV1.WatchDataExportRequest,
        _ items: OutgoingItems<GatewayV1.WatchDataExportItem>, _ call: AccountCall
    ) async throws {
        guard try await export(of: call.account) != nil else { throw ServiceError(.notFound) }
        var last: GatewayV1.DataExport?
        try await watchers.following(call.account, time) {
            // Read again: it may have changed before this stream could be woken.
            let token = try await calls.owner(in: call.context)
            guard let export = try await export(of: token.account) else { return nil }
            if export.message != last { try await items.write(.init(dataExport: export.message)) }
            last = export.message
            return export.state.isPreparing ? token.expiresAt : nil
        }
    }
}
