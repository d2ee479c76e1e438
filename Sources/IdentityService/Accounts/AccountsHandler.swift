package import Contracts
package import Cryptography
package import ServiceRuntime
package import Storage

/// `postern.identity.v1.Accounts`: accounts with an email address and a password. Each rpc is in
/// the file of its name: `register`, `verifyPassword`, `confirmEmail`, `getAccount`.
package struct AccountsHandler: AccountsService {
    let settings: IdentitySettings
    let store: Store
    let keys: IdentityKeys
    let passwords: PasswordCheck
    let responseTimeFloor: ResponseTimeFloor
    let time: any Time
    let randomness: any Randomness
    /// Resolves an access token to the owner of its session.
    let owners: SessionOwners
    let reader: AccountReader
    let outbox: IdentityOutbox

    /// Creates the handler. `devices` and `sessions` are the session service, which knows the
    /// owners of sessions.
    package init(
        settings: IdentitySettings, store: Store, keys: IdentityKeys,
        passwords: PasswordHashPool, responseTimeFloor: ResponseTimeFloor, time: any Time,
        randomness: any Randomness, devices: any DevicesAPI, sessions: any SessionsAPI
    ) {
        self.settings = settings
        self.store = store
        self.keys = keys
        self.passwords = PasswordCheck(
            store: store, keys: keys, passwords: passwords, responseTimeFloor: responseTimeFloor,
            time: time,
            randomness: randomness)
        self.responseTimeFloor = responseTimeFloor
        self.time = time
        self.randomness = randomness
        owners = SessionOwners(store: store, devices: devices, sessions: sessions)
        reader = AccountReader(keys: keys, randomness: randomness)
        outbox = IdentityOutbox(keys: keys, randomness: randomness)
    }
}
