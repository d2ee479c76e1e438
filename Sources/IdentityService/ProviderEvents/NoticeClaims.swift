import JSON
import ServiceRuntime

extension ProviderNotice {
    /// Maximum age of a notice. Its `jti` is stored for longer.
    static let ageMax: Duration = .seconds(7 * 24 * 3_600)

    /// Why a token is rejected as a notice. Only for the log.
    enum Refusal: String, Error, Hashable, Sendable {
        /// A claim is missing or has the wrong type.
        case claims
        /// `iss` is not the provider.
        case issuer
        /// `aud` contains an id that is not one of the operator's client ids.
        case audience
        /// `iat` is in the future.
        case future
        /// `exp` has passed, or `iat` is older than any notice that a provider still sends.
        case old
    }
}

/// The claims that the notices of all providers have (RFC 8417, 2.2). The signature has been
/// verified before.
///
/// | claim | rule |
/// |---|---|
/// | `iss` | the provider's issuer, byte for byte |
/// | `aud` | one of the operator's client ids, or a list of them |
/// | `iat` | a whole number of seconds; at most 60 s ahead, at most seven days ago |
/// | `jti` | 1 to 255 bytes |
struct NoticeClaims {
    private static let nameBytesMax = 255

    /// The provider's id of the notice.
    let id: String
    /// When the notice was issued.
    let issuedAt: Timestamp

    /// - Parameters:
    ///   - issuers: The accepted spellings of the provider's issuer.
    ///   - audiences: The operator's client ids.
    /// - Throws: `ProviderNotice.Refusal`.
    init(
        _ claims: JSONObject, issuers: [String], audiences: Set<String>, at now: Timestamp
    ) throws(ProviderNotice.Refusal) {
        guard let issuer = claims["iss"]?.string,
            let issuedAt = ProviderClaims.moment(claims["iat"]), let id = Self.name(claims["jti"])
        else { throw .claims }
        guard issuers.contains(where: { $0.utf8.elementsEqual(issuer.utf8) }) else { throw .issuer }
        guard let named = ProviderClaims.audiences(claims["aud"]) else { throw .claims }
        guard named.allSatisfy(audiences.contains) else { throw .audience }
        guard issuedAt <= now + ProviderClaims.leeway else { throw .future }
        guard now < issuedAt + ProviderNotice.ageMax else { throw .old }
        self.id = id
        self.issuedAt = issuedAt
    }

    /// A text of 1 to 255 bytes; nil for any other value.
    static func name(_ value: JSONValue?) -> String? {
        guard let text = value?.string, (1...nameBytesMax).contains(text.utf8.count) else {
            return nil
        }
        return text
    }
}
