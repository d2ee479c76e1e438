import Addresses
import JSON
import Outbound

/// Builds the proved identity from a token's claims. Malformed optional claims are ignored: they
/// never fail a sign-in.
extension ProviderClaims {
    /// The domain of Apple's relay addresses, for tokens without `is_private_email`.
    private static let relayDomain = "@privaterelay.appleid.com"
    private static let gmailDomain = "@gmail.com"

    /// The identity.
    /// - Parameter requestName: the name in the request. It is used only for a provider whose
    ///   tokens contain no name.
    func identity(of provider: Provider, named requestName: String) -> ProvedIdentity {
        let name = provider.namesComeWithRequest ? requestName : object["name"]?.string ?? ""
        var identity = ProvedIdentity(
            method: provider.name, issuer: provider.issuer, subject: subject, amr: ["fed"])
        identity.email = email(trusted: provider.emailTrust)
        identity.displayName = Applicant.isDisplayName(name) ? name : ""
        identity.photoURL = photo
        identity.audience = audience
        return identity
    }

    private func email(trusted trust: Provider.EmailTrust) -> ProvidedEmail? {
        guard let text = object["email"]?.string, let address = EmailAddress(text) else {
            return nil
        }
        return ProvidedEmail(
            address: address,
            isVerified: Self.isYes(object["email_verified"]) && isTrusted(address, trust),
            isRelay: Self.isYes(object["is_private_email"])
                || Self.ends(address, Self.relayDomain))
    }

    private func isTrusted(_ address: EmailAddress, _ trust: Provider.EmailTrust) -> Bool {
        switch trust {
        case .none: false
        case .verified: true
        case .authoritative:
            Self.ends(address, Self.gmailDomain) || isHosted
        }
    }

    /// Whether the account belongs to a Google Workspace, whose administrator has verified its
    /// domains.
    private var isHosted: Bool { object["hd"]?.string.map { !$0.isEmpty } ?? false }

    private var photo: String {
        let url = object["picture"]?.string.flatMap { HTTPURL($0, allowsPlain: false) }
        return url?.text ?? ""
    }

    /// Exactly `true`, or `"true"` as Apple sends it; every other value is no.
    private static func isYes(_ value: JSONValue?) -> Bool {
        value == .boolean(true) || value == .string("true")
    }

    private static func ends(_ address: EmailAddress, _ domain: String) -> Bool {
        address.normalised.reversed().starts(with: domain.utf8.reversed())
    }
}
