import Contracts
import Cryptography
import ServiceRuntime
import Storage

/// `postern.identity.v1.Credentials`: password reset and change, and repeated verification mails.
/// Each rpc is in the file of its name: `requestPasswordReset`, `resetPassword`, `changePassword`,
/// `resendVerification`.
struct CredentialsHandler: CredentialsService, AccountWriting {
    let store: Store
    let writer: AccountWriter
    let passwords: PasswordCheck
    let time: any Time
    let answers: AccountAnswers
    /// Resolves an access token to the owner of its session.
    let owners: SessionOwners
    let guests: GuestSettlement

    var settings: IdentitySettings { answers.settings }
}
