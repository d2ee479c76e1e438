import Messages
import RPC
import ServiceRuntime

extension AccountExportsHandler {
    /// Streams the export of the caller's account, now and at each change, until it is ready or
    /// there is none any more (G-21).
    /// - Throws: as `export(of:_:)`; `rpc/resource-exhausted` when the account has too many streams;
    ///   an error when the call is over.
    func watchDataExport(
        _ request: IdentityV1.WatchDataExportRequest,
        _ items: OutgoingItems<IdentityV1.WatchDataExportItem>, _ context: CallContext
    ) async throws {
        let account = try await export(of: request.accessToken, context.ofCheck(time)).account
        try await watchers.watching(account) { signal in
            var last: IdentityV1.DataExport?
            // Read again: it may have changed before this stream could be woken.
            while let export = try await present(request.accessToken, context) {
                if export.message != last {
                    try await items.write(.init(dataExport: export.message))
                }
                last = export.message
                guard export.state.isPreparing else { return }
                await signal.wait(atMost: AccountWatchers.checkInterval, time: time)
                try Task.checkCancellation()
            }
        }
    }

    /// The export; nil if it was cancelled or has expired.
    private func present(
        _ accessToken: String, _ context: CallContext
    ) async throws -> StoredExport? {
        do {
            return try await export(of: accessToken, context.ofCheck(time))
        } catch let error as ServiceError where error.code == .notFound {
            return nil
        }
    }
}
