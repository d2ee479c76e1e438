import Contracts
import ServiceRuntime
import Storage

/// `postern.accountdata.v1.AccountData` of the session service. `Sources/ACCOUNT_DATA.md` lists all
/// tables.
struct AccountDataHandler: AccountDataService {
    let store: Store
    let keys: SessionKeys
    let life: SessionLife
    let memory: SessionMemory
    /// Truncates the store's log after a deletion.
    let log: LogTruncation
    let time: any Time
}
