import Contracts

/// `postern.identity.v1.SignInSettings`: what the operator has switched on, and the rules for new
/// passwords (G-26). Each rpc is in the file of its name: `getSignInSettings`, `checkPassword`.
/// Neither reads the store.
struct SignInSettingsHandler: SignInSettingsService {
    let settings: IdentitySettings
}
