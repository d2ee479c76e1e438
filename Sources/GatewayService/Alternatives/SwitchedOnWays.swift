import Contracts
import Messages
import ServiceRuntime

/// What a caller tried that would have signed a person in, or led to that.
enum SignInAttempt: Hashable, Sendable {
    /// `Auth/SignInWithPassword`.
    case password
    /// `Auth/SignUpWithPassword`.
    case signUp
    /// `Passwords/ResetPassword`.
    case resetLink
    /// `Providers/SignInWithProvider`, or a provider's dialog in the app, with the provider's name as
    /// the request has it.
    case provider(String)
    /// `PhoneSignIn/RequestSignInCode` and `SignInWithPhoneCode`.
    case phone
    /// `Passkeys/SignInWithPasskey`.
    case passkey
    /// `Guests/SignInAsGuest`.
    case guest
}

/// The ways to sign in that the operator has switched on, and what else would do after one has
/// failed: the words of `wire.Error.alternatives`, in the order to offer them. A pure rule:
///
///     attempt      error                         what else would do
///     password     auth/invalid-credential       reset-password, passkey, providers, phone, sign-up
///     password     auth/too-many-requests        reset-password, passkey, providers, phone
///     sign-up      auth/email-already-in-use     password, reset-password, passkey, providers, phone
///     reset link   auth/invalid-link             reset-password, password, passkey, providers, phone
///     provider     auth/invalid-provider-token,  other providers, passkey, password, phone
///                  auth/provider-unavailable,
///                  auth/…-cancelled
///     provider     auth/email-already-in-use     password, reset-password, passkey, others, phone
///     provider     auth/too-many-requests        passkey, password, phone: all providers share the
///                                                limit
///     phone        auth/phone-country-not-allowed,
///                  auth/too-many-requests        passkey, providers, password
///     passkey      auth/invalid-passkey,         password, providers, phone
///                  auth/unknown-passkey,
///                  auth/too-many-requests
///     guest        auth/too-many-requests        passkey, password, providers, phone
///     any          any other                     nothing
///
/// What is switched off is left out, and so is what the app that calls does not have.
///
/// Attack: a stranger compares the errors for two addresses, to learn which has an account, or by
/// what it signs in. So neither the account nor the address, the number or the token is an argument
/// here: an error has the same words for all of them. `auth/second-proof-required` has the
/// account's own ways, from identity, after a right proof.
struct SwitchedOnWays: Hashable, Sendable {
    /// Sign-in by a password.
    var hasPassword = false
    /// Sign-up with a password.
    var hasSignUp = false
    /// A mailed link to set a new password.
    var hasReset = false
    /// Codes to phones.
    var hasPhone = false
    /// Passkeys.
    var hasPasskeys = false
    /// The providers' names, in the order to show them.
    var providers: [String] = []

    /// What the rule offers.
    private enum Offer {
        case password, resetPassword, signUp, phone, passkey, providers
    }

    /// Those of an app that does not have the `hidden` ones (G-36).
    func without(_ hidden: Set<SignInWay>) -> SwitchedOnWays {
        var left = self
        for way in hidden {
            switch way {
            case .password: left.hasPassword = false
            case .signUp: left.hasSignUp = false
            case .phone: left.hasPhone = false
            case .passkeys: left.hasPasskeys = false
            case .providers: left.providers = []
            case .reset: left.hasReset = false
            // No error offers to become a guest.
            case .guests: break
            }
        }
        return left
    }

    /// What else would do after `attempt` has failed with `code`; empty for nothing.
    func alternatives(to attempt: SignInAttempt, after code: ErrorCode) -> [String] {
        Self.offers(to: attempt, after: code).flatMap { words(of: $0, insteadOf: attempt) }
    }

    private static func offers(to attempt: SignInAttempt, after code: ErrorCode) -> [Offer] {
        switch (attempt, code) {
        case (.password, .invalidCredential):
            [.resetPassword, .passkey, .providers, .phone, .signUp]
        case (.password, .tooManyRequests): [.resetPassword, .passkey, .providers, .phone]
        case (.signUp, .emailAlreadyInUse), (.provider, .emailAlreadyInUse):
            [.password, .resetPassword, .passkey, .providers, .phone]
        case (.resetLink, .invalidLink):
            [.resetPassword, .password, .passkey, .providers, .phone]
        case (.provider, .invalidProviderToken), (.provider, .providerUnavailable),
            (.provider, .appleCancelled), (.provider, .googleCancelled),
            (.provider, .providerCancelled):
            [.providers, .passkey, .password, .phone]
        case (.provider, .tooManyRequests): [.passkey, .password, .phone]
        case (.phone, .phoneCountryNotAllowed), (.phone, .tooManyRequests):
            [.passkey, .providers, .password]
        case (.passkey, .invalidPasskey), (.passkey, .unknownPasskey),
            (.passkey, .tooManyRequests):
            [.password, .providers, .phone]
        case (.guest, .tooManyRequests): [.passkey, .password, .providers, .phone]
        default: []
        }
    }

    /// The words for an offer; none if it is switched off.
    private func words(of offer: Offer, insteadOf attempt: SignInAttempt) -> [String] {
        switch offer {
        case .password: hasPassword ? [SignInMethod.password.name] : []
        case .resetPassword: hasReset ? [ErrorCode.NextAction.resetPassword.rawValue] : []
        case .signUp: hasSignUp ? [ErrorCode.NextAction.signUp.rawValue] : []
        case .phone: hasPhone ? [SignInMethod.phone.name] : []
        case .passkey: hasPasskeys ? [SignInMethod.passkey.name] : []
        case .providers: providers.filter { attempt != .provider($0) }
        }
    }
}

extension SwitchedOnWays {
    /// The ways of identity's answer.
    init(_ options: GatewayV1.GetSignInOptionsResponse) {
        hasPassword = options.password != nil
        hasSignUp = options.password != nil
        hasReset = options.recoveryMethods.contains(.emailLink)
        hasPhone = options.phone != nil
        hasPasskeys = options.passkeys != nil
        providers = options.providers.map(\.name)
    }
}
