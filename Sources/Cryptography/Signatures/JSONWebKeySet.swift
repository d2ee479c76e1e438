/// Why a key set is not taken.
package enum JSONWebKeySetError: Error, Hashable {
    /// Longer than `JSONWebKeySet.bytesMax`, or no JSON object with an array `keys`.
    case malformed
    /// It holds a private or symmetric key, which nobody publishes on purpose.
    case holdsSecret
    /// Two keys bear one name.
    case repeatedIdentifier(String)
    /// A P-256 key that has no point of the curve.
    case invalidKey
}

/// Public ES256 keys by name, as published (RFC 7517).
package struct JSONWebKeySet: Sendable {
    /// The longest text that is read, in bytes.
    package static let bytesMax = 64 * 1024

    private let keys: [String: VerifyingKey]

    /// A set of keys.
    /// - Throws: `JSONWebKeySetError.repeatedIdentifier`.
    package init(_ keys: [VerifyingKey]) throws {
        var named: [String: VerifyingKey] = [:]
        for key in keys {
            guard named.updateValue(key, forKey: key.identifier) == nil else {
                throw JSONWebKeySetError.repeatedIdentifier(key.identifier)
            }
        }
        self.keys = named
    }

    /// The ES256 keys of a published set; keys of other kinds are passed over (RFC 7517, 5). A
    /// key without `kid` goes by its thumbprint.
    /// - Throws: `JSONWebKeySetError`.
    package init(json: some Collection<UInt8>) throws {
        guard json.count <= Self.bytesMax, let set = JSONReader.object(in: Array(json)),
            case .array(let keys)? = set["keys"]
        else { throw JSONWebKeySetError.malformed }
        try self.init(keys.compactMap(Self.verifyingKey))
    }

    /// The key that bears `identifier`.
    package subscript(identifier: String) -> VerifyingKey? { keys[identifier] }

    /// The names of the keys, sorted.
    package var identifiers: [String] { keys.keys.sorted() }

    /// The set as published, sorted by name.
    package var json: String {
        let keys = keys.values.sorted { $0.identifier < $1.identifier }
        return JSONWriter.text(["keys": .array(keys.map { .object($0.jsonWebKey) })])
    }

    private static func verifyingKey(_ value: JSONValue) throws -> VerifyingKey? {
        guard case .object(let key) = value else { throw JSONWebKeySetError.malformed }
        guard key["d"] == nil, key["k"] == nil else { throw JSONWebKeySetError.holdsSecret }
        return try VerifyingKey(jsonWebKey: key)
    }
}

extension VerifyingKey {
    /// This key as a JSON Web Key (RFC 7517, RFC 7518 section 6.2).
    var jsonWebKey: JSONObject {
        [
            "kty": .string("EC"), "crv": .string("P-256"), "x": .string(Base64URL.encode(x)),
            "y": .string(Base64URL.encode(y)), "kid": .string(identifier), "use": .string("sig"),
            "alg": .string("ES256"),
        ]
    }

    /// The key that a JSON Web Key describes; nil when it is for another algorithm or use.
    /// - Throws: `JSONWebKeySetError.invalidKey`.
    init?(jsonWebKey key: JSONObject) throws {
        guard key["kty"] == .string("EC"), key["crv"] == .string("P-256"),
            key["use"] ?? .string("sig") == .string("sig"),
            key["alg"] ?? .string("ES256") == .string("ES256")
        else { return nil }
        guard let x = key["x"]?.string.flatMap({ Base64URL.decode($0.utf8) }),
            let y = key["y"]?.string.flatMap({ Base64URL.decode($0.utf8) }),
            let made = try? VerifyingKey(x: x, y: y, identifier: key["kid"]?.string)
        else { throw JSONWebKeySetError.invalidKey }
        self = made
    }
}
