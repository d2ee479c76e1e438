/// A provider that has settings of its own, such as `google-audiences`. The operator's
/// `providers-file` adds others. Raw values are the providers' names: in accounts, in calls, and in
/// the names of their settings.
package enum BuiltInProvider: String, CaseIterable, Sendable {
    /// Sign in with Google.
    case google
    /// Sign in with Apple.
    case apple

    /// The sign-in method.
    package var method: SignInMethod { .provider(rawValue) }

    /// The spellings of `iss` in its tokens. Identities are stored with the first.
    package var issuers: [String] {
        switch self {
        case .google: ["https://accounts.google.com", "accounts.google.com"]
        case .apple: ["https://appleid.apple.com"]
        }
    }
}
