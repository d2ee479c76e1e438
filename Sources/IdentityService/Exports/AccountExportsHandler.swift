import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.identity.v1.AccountExports`: exports of all data of an account (G-21). Each rpc is in
/// the file of its name: `requestDataExport`, `getDataExport`, `watchDataExport`,
/// `fetchDataExport`, `cancelDataExport`. `ExportWork` prepares the archives.
struct AccountExportsHandler: AccountExportsService {
    let store: Store
    let keys: IdentityKeys
    let time: any Time
    let randomness: any Randomness
    let owners: SessionOwners
    let blobs: any BlobStore
    /// The streams that wait for changes of exports.
    let watchers: AccountWatchers
    let work: ExportWork
    let newcomers: NewcomerBytes

    var reader: AccountReader { AccountReader(keys: keys, randomness: randomness) }

    /// The export of the account of an access token.
    /// - Throws: as `SessionsAPI.validated(accessToken:_:)` and `SQLSession.callersRow`;
    ///   `rpc/not-found` if there is none.
    func export(of accessToken: String, _ context: CallContext) async throws -> StoredExport {
        let owner = try await owners.sessions.validated(accessToken: accessToken, context)
        guard let export = try await export(of: owner) else { throw ServiceError(.notFound) }
        return export
    }

    /// The export of a caller; nil if there is none.
    /// - Throws: as `SQLSession.callersRow`.
    func export(of caller: ValidAccessToken) async throws -> StoredExport? {
        let now = time.now()
        return try await store.read { session in
            try session.export(of: try session.callersRow(caller.account).account, at: now)
        }
    }
}
