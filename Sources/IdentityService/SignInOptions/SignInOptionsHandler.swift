import Contracts

/// `postern.gateway.v1.SignInOptions`: what a sign-in screen shows before anybody has typed, and
/// the rules of a new password while it is typed (G-26). Each rpc is in the file of its name:
/// `getSignInOptions`, `checkPassword`. Neither reads the store, so neither can reveal an account
///
struct SignInOptionsHandler: SignInOptionsService {
    let settings: IdentitySettings
}
