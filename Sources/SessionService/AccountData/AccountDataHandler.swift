import Contracts
import Cryptography
import ServiceRuntime
import Storage

/// `postern.accountdata.v1.AccountData` of the session service. Each rpc is in the file of its
/// name: `collectAccountData`, `forgetAccountData`, `listAccountsWithData`. `Sources/ACCOUNT_DATA.md`
/// lists all tables.
struct AccountDataHandler: AccountDataService {
    let store: Store
    /// Opens the names of devices.
    let deviceNames: SealedBox
    let life: SessionLife
    let memory: SessionMemory
    /// How long the access tokens of an ended session may still be used: its row must stay as long,
    /// since a start reads from it that they are revoked.
    let revocationRetention: Duration
    let time: any Time
}
