package import Cryptography
import JSON
import ServiceRuntime

/// What a service says about its own audit trail, signed: the link at a position. Its text is the
/// `detail` of a record, so it leaves the machine as every record does.
package struct TrailStatement: Hashable, Sendable {
    /// What is said. The raw value is the token's `typ`.
    package enum Kind: String, CaseIterable, Sendable {
        /// The last link of an hour.
        case head = "audit-head+jwt"
        /// The records up to here were removed, since they had been kept long enough.
        case cut = "audit-cut+jwt"
    }

    /// What is said.
    package let kind: Kind
    /// The service whose trail it is, `rate-limit`.
    package let service: String
    /// The trail's id: a store that was restored goes on with another one.
    package let trail: [UInt8]
    /// The position of the link.
    package let position: Int64
    /// Of a head the records of its hour, of a cut those of the span that ends there.
    package let records: Int64
    /// The link.
    package let link: [UInt8]
    /// When the link was made, in seconds.
    package let seconds: Int64

    init(_ kind: Kind, of link: TrailLink, records: Int64, service: String) {
        self.kind = kind
        self.service = service
        (trail, position, self.link) = (link.trail, link.last, link.link)
        self.records = records
        seconds = link.at.seconds
    }

    /// The statement in a text that `key` has signed.
    /// - Throws: `TokenRefusal`.
    package init(_ text: String, signedBy key: Ed25519VerifyingKey) throws(TokenRefusal) {
        var refusal = TokenRefusal.type
        for kind in Kind.allCases {
            do throws(TokenRefusal) {
                let claims = try EdDSAToken.claims(of: text, type: kind.rawValue, key: key)
                guard let statement = TrailStatement(kind, claims) else { throw .claims }
                self = statement
                return
            } catch {
                refusal = error
                // Another type may be the right one; anything else is wrong for all of them.
                if error != .type { break }
            }
        }
        throw refusal
    }

    private init?(_ kind: Kind, _ claims: JSONObject) {
        guard let service = claims["iss"]?.string, let seconds = claims["iat"]?.integer,
            let trail = claims["trail"]?.string.flatMap({ Base64URL.decode($0.utf8) }),
            let position = claims["position"]?.integer, let records = claims["records"]?.integer,
            let link = claims["link"]?.string.flatMap({ Base64URL.decode($0.utf8) })
        else { return nil }
        (self.kind, self.service, self.trail, self.link) = (kind, service, trail, link)
        (self.position, self.records, self.seconds) = (position, records, seconds)
    }

    /// The text that says so, a JSON Web Signature in compact form, of some 460 bytes.
    /// - Throws: `CryptographyError` when OpenSSL fails.
    func signed(by keys: AuditKeys) throws -> String {
        try EdDSAToken.sign(
            [
                "iss": .string(service), "iat": .integer(seconds),
                "trail": .string(Base64URL.encode(trail)), "position": .integer(position),
                "records": .integer(records), "link": .string(Base64URL.encode(link)),
            ],
            type: kind.rawValue, keyIdentifier: keys.publicKey.thumbprint, key: keys.signing)
    }
}
