package import Contracts
package import Cryptography
package import ServiceRuntime
package import Storage

/// `postern.identity.v1.EmailChanges`: changes of an account's address, and verification mails for
/// a caller without a session (G-02, G-12). Each rpc is in the file of its name:
/// `requestEmailChange`, `confirmEmailChange`, `cancelEmailChange`, `resendVerificationByPassword`.
package struct EmailChangesHandler: EmailChangesService {
    let settings: IdentitySettings
    let store: Store
    let keys: IdentityKeys
    let passwords: PasswordCheck
    let slots: ResponseTimeFloor
    let time: any Time
    let randomness: any Randomness
    /// Resolves an access token to the owner of its session.
    let owners: SessionOwners
    let reader: AccountReader
    let outbox: IdentityOutbox

    /// Creates the handler. `devices` is the session service, which knows the owners of sessions.
    package init(
        settings: IdentitySettings, store: Store, keys: IdentityKeys,
        passwords: PasswordHashPool, slots: ResponseTimeFloor, time: any Time,
        randomness: any Randomness, devices: any DevicesAPI
    ) {
        self.settings = settings
        self.store = store
        self.keys = keys
        self.passwords = PasswordCheck(
            store: store, keys: keys, passwords: passwords, slots: slots, time: time,
            randomness: randomness)
        self.slots = slots
        self.time = time
        self.randomness = randomness
        owners = SessionOwners(store: store, devices: devices)
        reader = AccountReader(keys: keys, randomness: randomness)
        outbox = IdentityOutbox(keys: keys, randomness: randomness)
    }
}
