import Contracts
import Storage

/// `postern.accountdata.v1.AccountData` of the notification service. Each rpc is in the file of its
/// name: `collectAccountData`, `forgetAccountData`, `listAccountsWithData`.
/// `Sources/ACCOUNT_DATA.md` lists all tables.
struct AccountDataHandler: AccountDataService {
    let store: Store
    let keys: NotificationKeys
    /// Truncates the store's log after a deletion.
    let log: LogTruncation
}
