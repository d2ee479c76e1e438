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
