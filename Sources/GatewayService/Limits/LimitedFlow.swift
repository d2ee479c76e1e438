/// A flow that asks the limiter, and what it does when that cannot be reached, unless the
/// operator says otherwise.
package enum LimitedFlow: String, CaseIterable, Sendable {
    /// Goes on: nothing can be guessed by it.
    case signUp = "sign-up"
    /// Goes on: a guest has nothing, and costs a few rows.
    case guestSignUp = "guest-sign-up"
    /// Goes on: the mail goes to the address's owner, who can otherwise not get in.
    case passwordReset = "password-reset"
    /// Goes on: the mail goes to who is signed in.
    case verificationMail = "verification-mail"
    /// Refuses: passwords are guessed while nobody counts.
    case passwordSignIn = "password-sign-in"
    /// Goes on: a provider's signature cannot be guessed.
    case providerSignIn = "provider-sign-in"
    /// Refuses: codes are guessed, and messages sent at our cost, while nobody counts.
    case phoneCode = "phone-code"

    /// What it does by itself.
    package var failure: LimiterFailure {
        switch self {
        case .signUp, .guestSignUp, .passwordReset, .verificationMail, .providerSignIn: .pass
        case .passwordSignIn, .phoneCode: .refuse
        }
    }
}
