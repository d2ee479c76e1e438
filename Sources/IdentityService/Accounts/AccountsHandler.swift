import Contracts
import Cryptography
import ServiceRuntime
import Storage

/// `postern.identity.v1.Accounts`: accounts with an email address and a password. Each rpc is in
/// the file of its name: `register`, `verifyPassword`, `confirmEmail`, `getAccount`.
struct AccountsHandler: AccountsService {
    let store: Store
    let keys: IdentityKeys
    let passwords: PasswordCheck
    let time: any Time
    let randomness: any Randomness
    let answers: AccountAnswers
    /// Resolves an access token to the owner of its session.
    let owners: SessionOwners
    let calls: AccountCalls
    let guests: GuestSettlement

    var settings: IdentitySettings { answers.settings }
    var reader: AccountReader { AccountReader(keys: keys, randomness: randomness) }
    var outbox: IdentityOutbox { IdentityOutbox(keys: keys, randomness: randomness) }
}
