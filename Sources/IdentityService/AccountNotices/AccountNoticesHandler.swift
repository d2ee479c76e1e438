import Contracts
import ServiceRuntime
import Storage

/// `postern.identity.v1.AccountNotices`: notices of the session service to account owners. The rpc
/// `tell` is in the file of its name.
struct AccountNoticesHandler: AccountNoticesService {
    let store: Store
    let keys: IdentityKeys
    let randomness: any Randomness

    var outbox: IdentityOutbox { IdentityOutbox(keys: keys, randomness: randomness) }
    var notices: NoticeMail { NoticeMail(keys: keys, randomness: randomness) }
}
