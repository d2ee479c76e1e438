import Contracts
package import Logging
package import ServiceRuntime
package import Storage

/// `postern.identity.v1.ProviderEvents`: notices from providers about their users (G-05). The rpc
/// is in `ReceiveProviderEvent.swift`.
package struct ProviderEventsHandler: ProviderEventsService {
    let store: Store
    let keys: IdentityKeys
    let time: any Time
    let logger: Logger
    let providers: Providers
    let reader: AccountReader
    let outbox: IdentityOutbox
    let notices: NoticeMail

    /// Creates the handler. `providers` verify the notices.
    package init(
        store: Store, keys: IdentityKeys, time: any Time, randomness: any Randomness,
        logger: Logger, providers: Providers
    ) {
        self.store = store
        self.keys = keys
        self.time = time
        self.logger = logger
        self.providers = providers
        reader = AccountReader(keys: keys, randomness: randomness)
        outbox = IdentityOutbox(keys: keys, randomness: randomness)
        notices = NoticeMail(keys: keys, randomness: randomness)
    }
}
