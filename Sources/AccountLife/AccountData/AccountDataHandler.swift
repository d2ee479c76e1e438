import Contracts
package import IdentityService
package import Messages
package import RPC
import ServiceRuntime
import Storage

/// `postern.accountdata.v1.AccountData` of identity itself. It is called in process only and is not
/// served, so no peer can call it. `Sources/ACCOUNT_DATA.md` lists all tables.
package struct AccountDataHandler: AccountDataService, AccountWriting {
    let store: Store
    /// Writes accounts.
    package let writer: AccountWriter
    /// The files of photos.
    let blobs: any BlobStore
}

extension AccountDataHandler {
    /// Returns all accounts, a page at a time.
    package func listAccountsWithData(
        _ request: AccountDataV1.ListAccountsWithDataRequest, _ context: CallContext
    ) async throws -> AccountDataV1.ListAccountsWithDataResponse {
        try context.requireIdentity()
        let after = try request.after()
        let limit = Int64(AccountDataV1.ListAccountsWithDataResponse.accountsMax)
        return AccountDataV1.ListAccountsWithDataResponse([
            (
                .account,
                try await store.read { try $0.accountIDs(after: after, limit: limit) }
            )
        ])
    }
}
