import Contracts
import IdentityService
import Messages
import RPC
import ServiceRuntime
import Storage

/// Exports of all data of an account (G-21): `postern.identity.v1.AccountExports`, the order of one
/// for the gateway, which charges it, and of `postern.gateway.v1.DataExports` the rest.
/// `ExportWork` prepares the archives.
struct AccountExportsHandler:
    AccountExportsService, IdentityDataExportsService, AccountCallsHandler, AccountWriting
{
    let store: Store
    let writer: AccountWriter
    let time: any Time
    let calls: AccountCalls
    let owners: SessionOwners
    let blobs: any BlobStore
    /// The streams that wait for changes of exports.
    let watchers: AccountWatchers
    let work: ExportWork
    let newcomers: NewcomerBytes

    /// The export of an account that calls; nil if there is none.
    /// - Throws: as `SQLSession.callersRow`.
    func export(of caller: AccountID) async throws -> StoredExport? {
        let now = time.now()
        return try await store.read { session in
            try session.export(of: try session.callersRow(caller).account, at: now)
        }
    }
}

extension AccountExportsHandler {
    /// The export of the caller's account (G-21).
    func getDataExport(
        _ request: GatewayV1.GetDataExportRequest, _ call: AccountCall
    ) async throws -> GatewayV1.GetDataExportResponse {
        guard let export = try await export(of: call.account) else { throw ServiceError(.notFound) }
        return GatewayV1.GetDataExportResponse(dataExport: export.message)
    }

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
