import Contracts
import ServiceRuntime
import Storage

/// `postern.identity.v1.AccountNotices`: notices of the session service to account owners. The rpc
/// `tell` is in the file of its name.
struct AccountNoticesHandler: AccountNoticesService, AccountWriting {
    let store: Store
    let writer: AccountWriter
}
