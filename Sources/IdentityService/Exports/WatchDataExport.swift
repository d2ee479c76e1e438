import Messages
import RPC
import ServiceRuntime

extension AccountExportsHandler {
    /// Streams the export of the caller's account, now and at each change, until it is ready or
    /// there is none any more (G-21).
    /// - Throws: as `export(of:_:)`; `rpc/resource-exhausted` when the account has too many
    ///   streams; an error when the call is over.
    func watchDataExport(
        _ request: IdentityV1.WatchDataExportRequest,
        _ items: OutgoingItems<IdentityV1.WatchDataExportItem>, _ context: CallContext
    ) async throws {
        let account = try await export(of: request.accessToken, context.ofCheck(time)).account
        var last: GatewayV1.DataExport?
        try await watchers.following(account, time) {
            // Read again: it may have changed before this stream could be woken.
            let token = try await owners.sessions.validated(
                accessToken: request.accessToken, context.ofCheck(time))
            guard let export = try await export(of: token) else { return nil }
            if export.message != last { try await items.write(.init(dataExport: export.message)) }
            last = export.message
            return export.state.isPreparing ? token.expiresAt : nil
        }
    }
}
