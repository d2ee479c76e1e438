import Contracts
package import ServiceRuntime
package import Storage

/// `postern.identity.v1.AccountNotices`: notices of the session service to account owners. The rpc
/// `tell` is in the file of its name.
package struct AccountNoticesHandler: AccountNoticesService {
    let store: Store
    let keys: IdentityKeys
    let outbox: IdentityOutbox
    let notices: NoticeMail

    /// Creates the handler.
    package init(store: Store, keys: IdentityKeys, randomness: any Randomness) {
        self.store = store
        self.keys = keys
        outbox = IdentityOutbox(keys: keys, randomness: randomness)
        notices = NoticeMail(keys: keys, randomness: randomness)
    }
}
