import JSON
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
/// | `nonce` | optional (`NonceMatch`); a string |
///
/// With a single `aud`, Google puts the Android app into `azp` and the operator's backend into
/// `aud`.
struct ProviderClaims: Sendable {
    /// Accepted clock difference between the provider and this service.
    static let leeway: Duration = .seconds(60)
    private static let subjectBytesMax = 255
    /// Maximum number of client ids in a token.
    private static let audiencesMax = 16
    /// The largest accepted time, in seconds: the end of the year 9999, far from any overflow.
    private static let secondsMax: Int64 = 253_402_300_799

    let subject: String
    /// The client id that the token is for; if `aud` has several, the one in `azp`.
    let audience: String
    let nonce: String?
    let object: JSONObject

    /// Reads and checks the claims of a token of `provider`.
    /// - Throws: `ProviderTokenRefusal`, by the rules of the table.
    init(
        _ object: JSONObject, of provider: Provider, at now: Timestamp
    ) throws(ProviderTokenRefusal) {
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
