/// A flow that asks the limiter, and what it does when that cannot be reached, unless the
/// operator says otherwise.
package enum LimitedFlow: String, CaseIterable, Sendable {
    /// Goes on: nothing can be guessed by it.
    case signUp = "sign-up"
    /// Refuses: passwords are guessed while nobody counts.
    case passwordSignIn = "password-sign-in"
    /// Goes on: a provider's signature cannot be guessed.
    case providerSignIn = "provider-sign-in"

    /// What it does by itself.
    package var failure: LimiterFailure {
        switch self {
        case .signUp, .providerSignIn: .pass
        case .passwordSignIn: .refuse
        }
    }
}
