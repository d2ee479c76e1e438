package import Contracts
package import Logging
package import ServiceRuntime
package import Storage

/// `postern.identity.v1.AccountAdmin`: account administration for operators (I-09). Each rpc is in
/// the file of its name: `lookUpAccount`, `listAccounts`, `suspendAccount`, `restoreAccount`,
/// `signOutAccount`.
package struct AccountAdminHandler: AccountAdminService {
    let settings: IdentitySettings
    let store: Store
    let keys: IdentityKeys
    let logger: Logger
    /// The session service's view of the use of accounts.
    let activity: any AccountActivityAPI
    let reader: AccountReader
    let outbox: IdentityOutbox
    let notices: NoticeMail

    /// Creates the handler.
    package init(
        settings: IdentitySettings, store: Store, keys: IdentityKeys, randomness: any Randomness,
        logger: Logger, activity: any AccountActivityAPI
    ) {
        self.settings = settings
        self.store = store
        self.keys = keys
        self.logger = logger
        self.activity = activity
        reader = AccountReader(keys: keys, randomness: randomness)
        outbox = IdentityOutbox(keys: keys, randomness: randomness)
        notices = NoticeMail(keys: keys, randomness: randomness)
    }
}
