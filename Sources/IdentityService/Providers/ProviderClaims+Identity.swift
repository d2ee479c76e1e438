import Cryptography
import EmailAddresses
import Outbound

/// Whom a token's claims prove, and what is taken over of the rest. What is not in order there is
/// left out: it never stops a sign-in.
extension ProviderClaims {
    /// Apple's relays, for those of its tokens that do not say so.
    private static let relayDomain = "@privaterelay.appleid.com"
    private static let gmailDomain = "@gmail.com"

    /// The identity.
    /// - Parameter requestName: the name that came with the request; it counts only where the
    ///   provider's tokens hold none.
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

    /// In a Workspace of Google's, whose administrator has proved its domains.
    private var isHosted: Bool { object["hd"]?.string.map { !$0.isEmpty } ?? false }

    private var photo: String {
        let url = object["picture"]?.string.flatMap { HTTPURL($0, allowsPlain: false) }
        return url?.text ?? ""
    }

    /// Exactly `true`, or `"true"` as Apple writes it; all else is no.
    private static func isYes(_ value: JSONValue?) -> Bool {
        value == .boolean(true) || value == .string("true")
    }

    private static func ends(_ address: EmailAddress, _ domain: String) -> Bool {
        address.normalised.reversed().starts(with: domain.utf8.reversed())
    }
}
