import JSON

/// Why a key set is rejected.
package enum JSONWebKeySetError: Error, Hashable {
    /// Longer than `JSONWebKeySet.bytesMax`, or not a JSON object with an array `keys`.
    case malformed
    /// It contains a private or symmetric key, which is never published on purpose.
    case holdsSecret
    /// Two keys have the same `kid`.
    case repeatedIdentifier(String)
    /// A P-256 key whose coordinates are not a point on the curve.
    case invalidKey
}

/// Public ES256 keys by `kid`, as published (RFC 7517).
package struct JSONWebKeySet: Sendable {
    /// The largest set, in bytes.
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

    /// Parses the ES256 keys of a published set. Keys of other kinds are skipped (RFC 7517, 5). The
    /// `kid` of a key without one is its thumbprint.
    /// - Throws: `JSONWebKeySetError`.
    package init(json: some Collection<UInt8>) throws {
        try self.init(Self.members(of: json).compactMap(VerifyingKey.init(jsonWebKey:)))
    }

    /// The keys of a published set, none of which is private or symmetric.
    /// - Throws: `.malformed`, `.holdsSecret`.
    static func members(
        of json: some Collection<UInt8>, countMax: Int = .max
    ) throws(JSONWebKeySetError) -> [JSONObject] {
        guard json.count <= bytesMax, let set = JSONReader.object(in: Array(json)),
            let values = set["keys"]?.array, values.count <= countMax
        else { throw .malformed }
        var keys: [JSONObject] = []
        for value in values {
            guard let key = value.object else { throw .malformed }
            guard key["d"] == nil, key["k"] == nil else { throw .holdsSecret }
            keys.append(key)
        }
        return keys
    }

    /// The key whose `kid` is `identifier`.
    package subscript(identifier: String) -> VerifyingKey? { keys[identifier] }

    /// The `kid`s of the keys, sorted.
    package var identifiers: [String] { keys.keys.sorted() }

    /// The set as published, sorted by `kid`.
    package var json: String {
        let keys = keys.values.sorted { $0.identifier < $1.identifier }
        return JSONWriter.text(["keys": .array(keys.map { .object($0.jsonWebKey) })])
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

    /// Parses a JSON Web Key. Nil for a key of another algorithm or use.
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
