import Cryptography
import ServiceRuntime

/// What a provider's token says, once its signature is found good, each claim by its rule.
///
/// | claim | rule |
/// |---|---|
/// | `iss` | one of the provider's spellings, to the byte |
/// | `aud` | a client id of the operator's, or several, all of them his |
/// | `azp` | where `aud` has several: one of the operator's; else not looked at |
/// | `exp` | a whole number of seconds; good until 60 s after |
/// | `iat` | likewise; not more than 60 s ahead, not after `exp` |
/// | `nbf` | may be left out; not more than 60 s ahead |
/// | `sub` | 1 to 255 printable ASCII characters (OpenID Connect Core 1.0, 2) |
/// | `nonce` | may be left out (`NonceMatch`); a text |
///
/// With one `aud`, Google names the Android app in `azp` and the operator's backend in `aud`.
struct ProviderClaims: Sendable {
    /// How far two machines' clocks may be apart.
    static let leeway: Duration = .seconds(60)
    private static let subjectBytesMax = 255
    /// Client ids in one token.
    private static let audiencesMax = 16
    /// The last second that a claim may name: the end of the year 9999, far from any overflow.
    private static let secondsMax: Int64 = 253_402_300_799

    let subject: String
    /// The client id that the token is for; of several the one that asked.
    let audience: String
    let nonce: String?
    let object: JSONObject

    /// Reads and checks the claims of a token of `provider`.
    init(
        _ object: JSONObject, of provider: Provider, at now: Timestamp
    ) throws(ProviderTokenRefusal) {
        guard let issuer = object["iss"]?.string, let subject = object["sub"]?.string,
            let expiresAt = Self.moment(object["exp"]), let issuedAt = Self.moment(object["iat"])
        else { throw .claims }
        guard provider.issuers.contains(where: { $0.utf8.elementsEqual(issuer.utf8) }) else {
            throw .issuer
        }
        // A logout token and a security event have the same claims otherwise, and no nonce by rule:
        // who reads them in a log must not sign in by them.
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
    ) throws(ProviderTokenRefusal) -> String {
        guard let audiences = object["aud"].flatMap({ $0.string.map { [$0] } ?? $0.strings }),
            let first = audiences.first, audiences.count <= audiencesMax
        else { throw .claims }
        guard audiences.allSatisfy(provider.audiences.contains) else { throw .audience }
        if audiences.count == 1 { return first }
        guard let party = object["azp"]?.string, provider.audiences.contains(party) else {
            throw .authorisedParty
        }
        return party
    }

    private static func isBegun(_ moment: Timestamp, _ now: Timestamp) -> Bool {
        moment <= now + leeway
    }

    private static func moment(_ value: JSONValue?) -> Timestamp? {
        guard let seconds = value?.integer, (0...secondsMax).contains(seconds) else { return nil }
        return Timestamp(milliseconds: seconds * 1_000)
    }

    private static func isSubject(_ text: String) -> Bool {
        (1...subjectBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
