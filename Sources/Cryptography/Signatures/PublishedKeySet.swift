import JSON

/// The algorithms by which other issuers may sign. The key determines the algorithm, never the
/// token (RFC 8725, 3.1).
package enum SignatureAlgorithm: String, CaseIterable, Sendable {
    /// RSA with PKCS #1 v1.5 and SHA-256.
    case rs256 = "RS256"
    /// ECDSA over P-256 with SHA-256.
    case es256 = "ES256"

    /// The possible sizes of its signatures, in bytes.
    var signatureBytes: ClosedRange<Int> {
        switch self {
        case .rs256: RSAVerifyingKey.bitsMin / 8...RSAKey.signatureBytesMax
        case .es256: P256Key.signatureBytes...P256Key.signatureBytes
        }
    }
}

/// A key that another issuer publishes, with its only algorithm.
package enum PublishedKey: Sendable {
    /// For RS256.
    case rs256(RSAVerifyingKey)
    /// For ES256.
    case es256(VerifyingKey)

    /// The algorithm of this key.
    package var algorithm: SignatureAlgorithm {
        switch self {
        case .rs256: .rs256
        case .es256: .es256
        }
    }

    /// Whether `signature` is a valid signature of `message` by this key.
    package func verifies(_ signature: [UInt8], of message: some Collection<UInt8>) -> Bool {
        switch self {
        case .rs256(let key): key.verifies(signature, of: message)
        case .es256(let key): key.verifies(signature, of: message)
        }
    }
}

/// The public keys of another issuer by `kid` (RFC 7517), for example an identity provider's.
///
/// Keys that are not for RS256 or ES256 signatures, have no `kid`, or are too weak are skipped: one
/// unusable key must not prevent all sign-ins. Problems that make the whole set untrustworthy
/// reject it.
package struct PublishedKeySet: Sendable {
    /// The largest set, in bytes. Google's has 2 KiB; certificate chains make others larger.
    package static let bytesMax = JSONWebKeySet.bytesMax
    /// The largest number of keys. Big providers have a dozen.
    private static let countMax = 64
    /// The longest `kid`, in bytes.
    package static let identifierBytesMax = 256

    private let keys: [String: PublishedKey]

    /// Parses a published set.
    /// - Throws: `JSONWebKeySetError`: an invalid set, a private or symmetric key, or two keys with
    ///   the same `kid`.
    package init(json: some Collection<UInt8>) throws(JSONWebKeySetError) {
        var keys: [String: PublishedKey] = [:]
        for object in try JSONWebKeySet.members(of: json, countMax: Self.countMax) {
            guard let (name, key) = PublishedKey.read(object) else { continue }
            guard keys.updateValue(key, forKey: name) == nil else {
                throw .repeatedIdentifier(name)
            }
        }
        self.keys = keys
    }

    /// The key whose `kid` is `identifier`.
    package subscript(identifier: String) -> PublishedKey? { keys[identifier] }

    /// Whether the set contains no usable key.
    package var isEmpty: Bool { keys.isEmpty }

    /// The `kid`s of the keys, sorted.
    package var identifiers: [String] { keys.keys.sorted() }
}

extension PublishedKey {
    /// A `kid` and its key. Nil where the key has another purpose or is too weak.
    fileprivate static func read(_ object: JSONObject) -> (String, PublishedKey)? {
        guard let name = object["kid"]?.string, !name.isEmpty,
            name.utf8.count <= PublishedKeySet.identifierBytesMax,
            object["use"] ?? .string("sig") == .string("sig"),
            object["key_ops"].map({ $0.strings?.contains("verify") ?? false }) ?? true,
            let key = rsa(object) ?? p256(object)
        else { return nil }
        return (name, key)
    }

    private static func rsa(_ object: JSONObject) -> PublishedKey? {
        guard object["kty"] == .string("RSA"),
            object["alg"] ?? .string("RS256") == .string("RS256"),
            let modulus = object["n"]?.string.flatMap({ Base64URL.decode($0.utf8) }),
            let exponent = object["e"]?.string.flatMap({ Base64URL.decode($0.utf8) })
        else { return nil }
        // The reason does not matter: the key is skipped.
        return (try? RSAVerifyingKey(modulus: modulus, exponent: exponent)).map(PublishedKey.rs256)
    }

    private static func p256(_ object: JSONObject) -> PublishedKey? {
        // As above.
        (try? VerifyingKey(jsonWebKey: object)).map(PublishedKey.es256)
    }
}
