import Contracts
import Cryptography
import ServiceRuntime
import Storage

/// `postern.identity.v1.Accounts`: accounts with an email address and a password.
struct AccountsHandler: AccountsService, AccountWriting {
    let store: Store
    let writer: AccountWriter
    let passwords: PasswordCheck
    let time: any Time
    let answers: AccountAnswers
    /// Resolves an access token to the owner of its session.
    let owners: SessionOwners
    let calls: AccountCalls

    var settings: IdentitySettings { answers.settings }
}
