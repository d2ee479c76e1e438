package import Addresses
import Contracts
import Cryptography
import JSON
import Outbound
import ServiceRuntime

/// The validated claims of a provider's token. The signature has been verified before.
///
/// | claim | rule |
/// |---|---|
/// | `iss` | one of the provider's spellings, byte for byte |
/// | `aud` | one of the operator's client ids, or a list of them |
/// | `azp` | if `aud` has several: one of the operator's; otherwise ignored |
/// | `exp` | a whole number of seconds; accepted until 60 s after |
/// | `iat` | likewise; not more than 60 s ahead, not after `exp` |
/// | `nbf` | optional; not more than 60 s ahead |
/// | `sub` | 1 to 255 printable ASCII characters (OpenID Connect Core 1.0, 2) |
/// | `nonce` | optional (`Nonces.Match`); a string |
///
/// With a single `aud`, Google puts the Android app into `azp` and the operator's backend into
/// `aud`.
package struct ProviderClaims: Sendable {
    /// Accepted clock difference between the provider and this service.
    static let leeway: Duration = .seconds(60)
    static let subjectBytesMax = 255
    /// Maximum number of client ids in a token.
    private static let audiencesMax = 16
    /// The largest accepted time, in seconds: the end of the year 9999, far from any overflow.
    static let secondsMax: Int64 = 253_402_300_799

    let subject: String
    /// The client id that the token is for; if `aud` has several, the one in `azp`.
    let audience: String
    let nonce: String?
    let object: JSONObject

    /// Reads and checks the claims of a token of `provider`.
    /// - Throws: `ProviderTokenCheck.Refusal`, by the rules of the table.
    init(
        _ object: JSONObject, of provider: Provider, at now: Timestamp
    ) throws(ProviderTokenCheck.Refusal) {
        guard let issuer = object["iss"]?.string, let subject = object["sub"]?.string,
            let expiresAt = Self.moment(object["exp"]), let issuedAt = Self.moment(object["iat"])
        else { throw .claims }
        guard provider.issuers.contains(where: { $0.utf8.elementsEqual(issuer.utf8) }) else {
            throw .issuer
        }
        // A logout token and a security event token have the same claims otherwise, and no nonce by
        // definition. Somebody who finds one in a log must not be able to sign in with it.
        guard object["events"] == nil else { throw .claims }
        audience = try Self.audience(object, provider)
        guard now < expiresAt + Self.leeway else { throw .expired }
        guard issuedAt <= expiresAt, Self.isBegun(issuedAt, now) else { throw .issuedAt }
        if let notBefore = object["nbf"] {
            guard let moment = Self.moment(notBefore) else { throw .claims }
            guard Self.isBegun(moment, now) else { throw .issuedAt }
        }
        guard Self.isSubject(subject) else { throw .subject }
        if let nonce = object["nonce"] {
            guard let text = nonce.string else { throw .claims }
            self.nonce = text
        } else {
            nonce = nil
        }
        self.subject = subject
        self.object = object
    }

    private static func audience(
        _ object: JSONObject, _ provider: Provider
    ) throws(ProviderTokenCheck.Refusal) -> String {
        guard let audiences = audiences(object["aud"]), let first = audiences.first else {
            throw .claims
        }
        guard audiences.allSatisfy(provider.audiences.contains) else { throw .audience }
        if audiences.count == 1 { return first }
        guard let party = object["azp"]?.string, provider.audiences.contains(party) else {
            throw .authorisedParty
        }
        return party
    }

    /// The client ids of `aud`, which is one or a list; nil for none, too many, or anything else.
    static func audiences(_ claim: JSONValue?) -> [String]? {
        guard let audiences = claim.flatMap({ $0.string.map { [$0] } ?? $0.strings }),
            (1...audiencesMax).contains(audiences.count)
        else { return nil }
        return audiences
    }

    private static func isBegun(_ moment: Timestamp, _ now: Timestamp) -> Bool {
        moment <= now + leeway
    }

    /// A time in whole seconds since 1970; nil for any other value.
    static func moment(_ value: JSONValue?) -> Timestamp? {
        guard let seconds = value?.integer, (0...secondsMax).contains(seconds) else { return nil }
        return Timestamp(milliseconds: seconds * 1_000)
    }

    private static func isSubject(_ text: String) -> Bool {
        (1...subjectBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}

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
            method: .provider(provider.name), issuer: provider.issuer, subject: subject)
        identity.email = email(trusted: provider.emailTrust)
        identity.displayName = Applicant.isDisplayName(name) ? name : ""
        identity.photoURL = photo
        identity.audience = audience
        identity.hasBothProofs =
            provider.bothProofs?.includes(
                acr: object["acr"]?.string, amr: object["amr"]?.strings ?? []) ?? false
        return identity
    }

    private func email(trusted trust: Provider.EmailTrust) -> ProvedIdentity.Email? {
        guard let text = object["email"]?.string, let address = EmailAddress(text) else {
            return nil
        }
        return ProvedIdentity.Email(
            address: address,
            isVerified: Self.isYes(object["email_verified"]) && isTrusted(address, trust),
            isRelay: Self.isYes(object["is_private_email"])
                || Self.isAppleRelay(address))
    }

    private func isTrusted(_ address: EmailAddress, _ trust: Provider.EmailTrust) -> Bool {
        switch trust {
        case .none: false
        case .verified: true
        case .authoritative:
            Self.ends(address, Self.gmailDomain) || isHosted(address)
        }
    }

    /// Whether the account belongs to the Google Workspace of the email's domain. A Workspace
    /// proves nothing about other domains: its users, too, may have a contact address elsewhere.
    private func isHosted(_ address: EmailAddress) -> Bool {
        guard let hosted = object["hd"]?.string, let anybody = EmailAddress("x@" + hosted) else {
            return false
        }
        return Self.ends(
            address, String(decoding: anybody.normalised.dropFirst(), as: UTF8.self))
    }

    private var photo: String {
        let url = object["picture"]?.string.flatMap { HTTPURL($0, allowsPlain: false) }
        return url?.text ?? ""
    }

    /// Exactly `true`, or `"true"` as Apple sends it; every other value is no.
    static func isYes(_ value: JSONValue?) -> Bool {
        value == .boolean(true) || value == .string("true")
    }

    /// Whether an address is of Apple's relay.
    package static func isAppleRelay(_ address: EmailAddress) -> Bool { ends(address, relayDomain) }

    private static func ends(_ address: EmailAddress, _ domain: String) -> Bool {
        address.normalised.reversed().starts(with: domain.utf8.reversed())
    }
}
