import Contracts
package import Cryptography
package import ServiceRuntime
package import Storage

/// `postern.identity.v1.Credentials`: password reset and change, and repeated verification mails.
/// Each rpc is in the file of its name: `requestPasswordReset`, `resetPassword`, `changePassword`,
/// `resendVerification`.
package struct CredentialsHandler: CredentialsService {
    let settings: IdentitySettings
    let store: Store
    let keys: IdentityKeys
    let passwords: PasswordCheck
    let responseTimeFloor: ResponseTimeFloor
    let time: any Time
    let randomness: any Randomness
    let reader: AccountReader
    let outbox: IdentityOutbox
    let notices: NoticeMail

    /// Creates the handler.
    package init(
        settings: IdentitySettings, store: Store, keys: IdentityKeys,
        passwords: PasswordHashPool, responseTimeFloor: ResponseTimeFloor, time: any Time,
        randomness: any Randomness
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
        reader = AccountReader(keys: keys, randomness: randomness)
        outbox = IdentityOutbox(keys: keys, randomness: randomness)
        notices = NoticeMail(keys: keys, randomness: randomness)
    }
}
