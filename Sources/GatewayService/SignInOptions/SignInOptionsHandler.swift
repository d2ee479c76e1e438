import Contracts
import Messages

/// `postern.gateway.v1.SignInOptions`: what a sign-in screen shows before anybody has typed, and
/// the rules of a new password while it is typed (G-26). Each rpc is in the file of its name:
/// `getSignInOptions`, `checkPassword`. Neither depends on an account, so neither can reveal one
///
struct SignInOptionsHandler: SignInOptionsService {
    let settings: any SignInSettingsAPI
    let limits: RateLimiter
}
