package import RPC

/// What a sign-in screen can offer, as the metadata `app-without` names it (G-36). An app whose
/// `methods` leave one of its rpcs out does not have it:
///
///     way         the app may call
///     password    Auth/SignInWithPassword
///     sign-up     Auth/SignUpWithPassword
///     guests      Guests/SignInAsGuest
///     phone       PhoneSignIn/RequestSignInCode, SignInWithPhoneCode
///     passkeys    Passkeys/BeginPasskeySignIn, SignInWithPasskey
///     providers   Providers/SignInWithProvider
///     reset       Passwords/RequestPasswordReset: the link leads to a page
package enum SignInWay: String, CaseIterable, Sendable {
    case password
    case signUp = "sign-up"
    case guests
    case phone
    case passkeys
    case providers
    case reset

    /// The rpcs all of which an app needs for it.
    package var methods: [MethodDescription] {
        switch self {
        case .password: [AuthDescription.signInWithPassword]
        case .signUp: [AuthDescription.signUpWithPassword]
        case .guests: [GuestsDescription.signInAsGuest]
        case .phone:
            [PhoneSignInDescription.requestSignInCode, PhoneSignInDescription.signInWithPhoneCode]
        case .passkeys:
            [PasskeysDescription.beginPasskeySignIn, PasskeysDescription.signInWithPasskey]
        case .providers: [ProvidersDescription.signInWithProvider]
        case .reset: [PasswordsDescription.requestPasswordReset]
        }
    }
}

extension Set<SignInWay> {
    /// The value of `app-without`; nil for none.
    package var metadataText: String? {
        isEmpty
            ? nil
            : SignInWay.allCases.filter { contains($0) }.map(\.rawValue).joined(separator: ",")
    }
}

extension Metadata {
    /// The ways that the app which calls does not have. A reader asks first whether the sender may
    /// say so. It only hides: what is switched off stays off, and an app that hides nothing may call
    /// no more than its `methods` allow. A name of a later release is left out.
    package var appWithout: Set<SignInWay> {
        let names = self[Key.appWithout]?.split(separator: ",") ?? []
        return Set(names.compactMap { SignInWay(rawValue: String($0)) })
    }
}
