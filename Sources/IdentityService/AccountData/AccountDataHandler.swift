import Contracts
import ServiceRuntime
import Storage

/// `postern.accountdata.v1.AccountData` of identity itself. Each rpc is in the file of its name:
/// `collectAccountData`, `forgetAccountData`, `listAccountsWithData`. It is called in process only
/// and is not served, so no peer can call it. `Sources/ACCOUNT_DATA.md` lists all tables.
package struct AccountDataHandler: AccountDataService {
    let store: Store
    let keys: IdentityKeys
    let randomness: any Randomness
    /// The files of photos.
    let blobs: any BlobStore

    var reader: AccountReader { AccountReader(keys: keys, randomness: randomness) }
}
