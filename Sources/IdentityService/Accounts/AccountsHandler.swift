import Contracts
import Cryptography
import ServiceRuntime
import Storage

/// `postern.identity.v1.Accounts`: accounts with an email address and a password. Of
/// `postern.gateway.v1.Auth` it has `describeLink`.
struct AccountsHandler: AccountsService, IdentityAuthService, AccountWriting {
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
