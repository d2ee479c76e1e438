package import Contracts
import Cryptography
import Outbound
import ServiceRuntime

/// The built-in providers, configured from their own documentation.
///
/// | | Google | Apple |
/// |---|---|---|
/// | `iss` | `https://accounts.google.com`, or without the scheme | `https://appleid.apple.com` |
/// | JWKS | `https://www.googleapis.com/oauth2/v3/certs` | `https://appleid.apple.com/auth/keys` |
/// | algorithm | RS256 | RS256 |
/// | nonce in the token | as sent | the SHA-256 of the nonce |
/// | `email_verified`, `is_private_email` | boolean | boolean or string |
/// | name | claim `name` | in the request, at the first sign-in only |
/// | recovery of an account | `https://accounts.google.com/signin/recovery` | `https://iforgot.apple.com/` |
///
/// Sources: "Verify the Google ID token on your server side"; "Authenticating users with Sign in
/// with Apple".
extension BuiltInProvider {
    /// Reserved issuers, whether or not the providers are enabled: no other provider may use them.
    static let allIssuers = allCases.flatMap(\.issuers)

    /// The spelling of `issuer` that identities of `method` are stored with. Nil if the two do not
    /// belong together: a sign-in would never find such an identity.
    package static func issuer(_ issuer: String, of method: String) -> String? {
        guard let provider = BuiltInProvider(rawValue: method) else {
            return allIssuers.contains(issuer) ? nil : issuer
        }
        return provider.issuers.contains(issuer) ? provider.issuers[0] : nil
    }

    private var keysURL: String {
        switch self {
        case .google: "https://www.googleapis.com/oauth2/v3/certs"
        case .apple: "https://appleid.apple.com/auth/keys"
        }
    }

    private var recoveryURL: String {
        switch self {
        case .google: "https://accounts.google.com/signin/recovery"
        case .apple: "https://iforgot.apple.com/"
        }
    }

    private var clientIDs: String {
        switch self {
        case .google: "…apps.googleusercontent.com"
        case .apple: "bundle ids and services ids"
        }
    }

    /// Declares this provider's settings; nil when it is disabled.
    func provider(_ settings: inout SettingsReader, allowsPlain: Bool) -> Provider? {
        var audiences: [String] = []
        settings.strings(
            "\(rawValue)-audiences", &audiences, unit: "client id",
            reason: "Client ids of your apps (\(clientIDs)); none disables \(rawValue) sign-in.")
        var issuer = issuers[0]
        settings.string(
            "\(rawValue)-issuer", &issuer, unit: "issuer",
            reason: "For tests: the issuer whose tokens are accepted instead.")
        let url = keysURL(&settings, allowsPlain: allowsPlain)
        var nonce = Provider.NoncePolicy.required
        settings.choice(
            "\(rawValue)-nonce", &nonce,
            reason: "optional: accepts tokens without a nonce, which a thief can use.")
        let trust = emailTrust(&settings)
        guard !audiences.isEmpty, let url else { return nil }
        return Provider(
            name: rawValue, issuers: issuer == issuers[0] ? issuers : [issuer],
            audiences: Set(audiences), jwksLocation: .at(url), emailTrust: trust,
            noncePolicy: nonce,
            hashesNonce: self == .apple, recoveryURL: recoveryURL,
            namesComeWithRequest: self == .apple)
    }

    private func keysURL(_ settings: inout SettingsReader, allowsPlain: Bool) -> HTTPURL? {
        let name = "\(rawValue)-keys-url"
        var text: String = keysURL
        settings.string(
            name, &text, unit: "URL", reason: "For tests, or to bypass a proxy.")
        let url = HTTPURL(text, allowsPlain: allowsPlain)
        settings.require(
            url != nil, [name],
            "\(name) must be an https URL; http needs provider-private-addresses")
        return url
    }

    private func emailTrust(_ settings: inout SettingsReader) -> Provider.EmailTrust {
        switch self {
        case .apple: return .verified
        case .google:
            // By default all. Attack: a person keeps a Google account on an address of a domain
            // that changes hands, and later enters the account of the address's new owner. This is
            // accepted (Sources/SECURITY.md, What is not promised): `authoritative` costs every
            // owner of such an address a second verification at the first sign-in.
            var trust = Provider.EmailTrust.verified
            settings.choice(
                "google-emails", &trust,
                reason: "Emails that link accounts: all that Google has verified, or those "
                    + "whose mail it runs (Gmail, Workspace).")
            return trust
        }
    }
}
