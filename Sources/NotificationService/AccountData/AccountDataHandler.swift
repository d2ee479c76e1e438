import Contracts
import Storage

/// `postern.accountdata.v1.AccountData` of the notification service. `Sources/ACCOUNT_DATA.md`
/// lists all tables.
struct AccountDataHandler: AccountDataService {
    let store: Store
    let keys: NotificationKeys
    /// Whose limits for each recipient get back the time of what is deleted unsent.
    let acceptance: MessageAcceptance
    /// Truncates the store's log after a deletion.
    let log: LogTruncation
}
