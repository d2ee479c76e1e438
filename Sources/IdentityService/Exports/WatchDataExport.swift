import Messages
import RPC
import ServiceRuntime

extension AccountExportsHandler {
    /// The longest time between two checks of the access token.
    private static let watchInterval: Duration = .seconds(30)
    /// For one check; the stream may last for longer.
    private static let checkTimeout: Duration = .seconds(10)

    /// Streams the export of the caller's account, now and at each change, until it is ready or
    /// there is none any more (G-21).
    /// - Throws: as `export(of:_:)`; `rpc/resource-exhausted` when the account has too many streams;
    ///   an error when the call is over.
    func watchDataExport(
        _ request: IdentityV1.WatchDataExportRequest,
        _ items: OutgoingItems<IdentityV1.WatchDataExportItem>, _ context: CallContext
    ) async throws {
        var last = try await export(of: request.accessToken, short(context))
        try await watchers.watching(last.account) { signal in
            var next: StoredExport? = last
            var isFirst = true
            while let export = next {
                if isFirst || export.state != last.state || export.id != last.id {
                    try await items.write(.init(dataExport: export.message))
                }
                (isFirst, last) = (false, export)
                guard export.state.isPreparing else { return }
                await signal.wait(atMost: Self.watchInterval, time: time)
                try Task.checkCancellation()
                do {
                    next = try await self.export(of: request.accessToken, short(context))
                } catch let error as ServiceError where error.code == .notFound {
                    next = nil
                }
            }
        }
    }

    private func short(_ context: CallContext) -> CallContext {
        CallContext(
            application: context.application,
            deadline: min(context.deadline, time.uptime() + Self.checkTimeout),
            metadata: context.metadata)
    }
}
