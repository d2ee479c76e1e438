import Contracts
import Cryptography
import ServiceRuntime
import Storage

/// `postern.identity.v1.Credentials`: password reset and change, and repeated verification mails.
/// Each rpc is in the file of its name: `requestPasswordReset`, `resetPassword`, `changePassword`,
/// `resendVerification`.
struct CredentialsHandler: CredentialsService {
    let store: Store
    let keys: IdentityKeys
    let passwords: PasswordCheck
    let time: any Time
    let randomness: any Randomness
    let answers: AccountAnswers
    /// Resolves an access token to the owner of its session.
    let owners: SessionOwners
    let guests: GuestSettlement

    var settings: IdentitySettings { answers.settings }
    var reader: AccountReader { AccountReader(keys: keys, randomness: randomness) }
    var outbox: IdentityOutbox { IdentityOutbox(keys: keys, randomness: randomness) }
    var notices: NoticeMail { NoticeMail(keys: keys, randomness: randomness) }
}
