import Contracts
import Cryptography
import ServiceRuntime
import Storage

/// `postern.identity.v1.Credentials`: password reset and change, and repeated verification mails.
struct CredentialsHandler: CredentialsService, AccountWriting {
    let store: Store
    let writer: AccountWriter
    let passwords: PasswordCheck
    let time: any Time
    let answers: AccountAnswers
    /// Resolves an access token to the owner of its session.
    let owners: SessionOwners

    var settings: IdentitySettings { answers.settings }
}
