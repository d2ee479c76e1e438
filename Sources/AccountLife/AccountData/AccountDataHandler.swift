import Contracts
package import IdentityService
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
