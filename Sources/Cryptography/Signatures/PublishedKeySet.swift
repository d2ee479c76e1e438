/// How a token of somebody else's may be signed. The key decides it, never the token (RFC 8725, 3.1).
package enum SignatureAlgorithm: String, CaseIterable, Sendable {
    /// RSA with PKCS #1 v1.5 and SHA-256.
    case rs256 = "RS256"
    /// ECDSA over P-256 with SHA-256.
    case es256 = "ES256"

    /// How long its signatures can be, in bytes.
    var signatureBytes: ClosedRange<Int> {
        switch self {
        case .rs256: RSAVerifyingKey.bitsMin / 8...RSA.signatureBytesMax
        case .es256: ES256.signatureBytes...ES256.signatureBytes
        }
    }
}

/// A key that somebody else publishes, with the one algorithm that it is for.
package enum PublishedKey: Sendable {
    /// For RS256.
    case rs256(RSAVerifyingKey)
    /// For ES256.
    case es256(VerifyingKey)

    /// The algorithm that it is for.
    package var algorithm: SignatureAlgorithm {
        switch self {
        case .rs256: .rs256
        case .es256: .es256
        }
    }

    /// Whether `signature` is this key's over `message`.
    package func verifies(_ signature: [UInt8], of message: some Collection<UInt8>) -> Bool {
        switch self {
        case .rs256(let key): key.verifies(signature, of: message)
        case .es256(let key): key.verifies(signature, of: message)
        }
    }
}

/// The keys that somebody else publishes for his signatures, by name (RFC 7517): a provider's.
///
/// What is not for signing by RS256 or ES256, has no name, or is too weak is passed over, since one
/// odd key must not lock everybody out; what makes the whole set doubtful refuses it.
package struct PublishedKeySet: Sendable {
    /// The longest text that is read, in bytes; Google's has 2 KiB, and chains make others longer.
    package static let bytesMax = 64 * 1_024
    /// Keys in a set; big providers have a dozen.
    private static let countMax = 64
    /// The longest name, in bytes.
    package static let identifierBytesMax = 256

    private let keys: [String: PublishedKey]

    /// The keys of a published set.
    /// - Throws: `JSONWebKeySetError`: no set, one with a private or symmetric key, or with two keys
    ///   of one name.
    package init(json: some Collection<UInt8>) throws(JSONWebKeySetError) {
        guard json.count <= Self.bytesMax, let set = JSONReader.object(in: Array(json)),
            let values = set["keys"]?.array, values.count <= Self.countMax
        else { throw .malformed }
        var keys: [String: PublishedKey] = [:]
        for value in values {
            guard let object = value.object else { throw .malformed }
            guard object["d"] == nil, object["k"] == nil else { throw .holdsSecret }
            guard let (name, key) = PublishedKey.read(object) else { continue }
            guard keys.updateValue(key, forKey: name) == nil else {
                throw .repeatedIdentifier(name)
            }
        }
        self.keys = keys
    }

    /// The key that bears `identifier`.
    package subscript(identifier: String) -> PublishedKey? { keys[identifier] }

    /// Whether there is no key in it that can be used.
    package var isEmpty: Bool { keys.isEmpty }

    /// The names of the keys, sorted.
    package var identifiers: [String] { keys.keys.sorted() }
}

extension PublishedKey {
    /// A name and its key; nil where it is for something else, or not to be relied upon.
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
        // Which of its numbers is wrong would help nobody; the key is not there.
        return (try? RSAVerifyingKey(modulus: modulus, exponent: exponent)).map(PublishedKey.rs256)
    }

    private static func p256(_ object: JSONObject) -> PublishedKey? {
        // As above.
        (try? VerifyingKey(jsonWebKey: object)).map(PublishedKey.es256)
    }
}
