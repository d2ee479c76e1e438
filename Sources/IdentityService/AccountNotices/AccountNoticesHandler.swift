import Contracts
import ServiceRuntime
import Storage

/// `postern.identity.v1.AccountNotices`: notices of the session service to account owners.
struct AccountNoticesHandler: AccountNoticesService, AccountWriting {
    let store: Store
    let writer: AccountWriter
}
