/// The algorithms of passkeys' signatures, in the order in which they are offered (RFC 9053,
/// RFC 8812). Raw values are those of COSE and never change.
///
/// What devices have: nearly all ES256, a few security keys EdDSA, Windows with a TPM RS256.
package enum COSEAlgorithm: Int64, CaseIterable, Sendable {
    /// ECDSA with SHA-256, on P-256 only (Web Authentication Level 3, section 5.8.5).
    case es256 = -7
    /// EdDSA, on Ed25519 only (the same).
    case edDSA = -8
    /// RSA with PKCS #1 v1.5 and SHA-256, of 2,048 to 4,096 bits.
    case rs256 = -257
}

/// Why bytes are not the key of a passkey. For logs.
package enum COSEKeyError: Error, Hashable, Sendable {
    /// They are not CBOR.
    case encoding(CBORError)
    /// They are no map of numbers, have no algorithm, or members other than those that a key of
    /// their algorithm must have.
    case members
    /// Their algorithm is not one that is offered.
    case algorithm
    /// Another curve, a point that is compressed or not on the curve, a key of another size.
    case value
}

/// The public key of a passkey (COSE_Key, RFC 9052, section 7), with its only algorithm. The key
/// decides by what a signature is verified, never the signature.
///
///     kty 1, alg −8, crv 6      x of 32 bytes, not one of the few points of small order
///     kty 2, alg −7, crv 1      x and y of 32 bytes, a point of P-256
///     kty 3, alg −257           n of 2,048 to 4,096 bits, e of at most 4 bytes
///
/// Each has exactly these members (Web Authentication Level 3, section 6.5.1: no optional ones). A
/// compressed point, whose y is true or false, is refused (the same, section 5.8.5).
package struct COSEKey: Sendable {
    /// The longest modulus of an RSA key, in bits. A longer one would let its owner make each of
    /// our verifications slow.
    private static let modulusBitsMax = 4_096

    /// The algorithm of its signatures.
    package let algorithm: COSEAlgorithm
    /// The key as its authenticator encoded it, and as it is stored.
    package let bytes: [UInt8]
    private let key: Key

    private enum Key {
        case es256(P256Key)
        case edDSA(Ed25519VerifyingKey)
        case rs256(RSAVerifyingKey)
    }

    /// Parses a key, which must be all of `bytes`.
    /// - Throws: `COSEKeyError`.
    package init(_ bytes: [UInt8]) throws(COSEKeyError) {
        let value: CBORValue
        do { value = try CBORReader.value(in: bytes) } catch { throw .encoding(error) }
        guard let map = value.map, let number = map[Label.algorithm]?.integer else {
            throw .members
        }
        guard let algorithm = COSEAlgorithm(rawValue: number) else { throw .algorithm }
        self.algorithm = algorithm
        self.bytes = bytes
        switch algorithm {
        case .es256: key = .es256(try Self.p256(map))
        case .edDSA: key = .edDSA(try Self.ed25519(map))
        case .rs256: key = .rs256(try Self.rsa(map))
        }
    }

    /// Whether `signature` is a valid signature of `message` by this key: for ES256 in DER, as
    /// WebAuthn has it (Level 3, section 6.5.5).
    package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch key {
        case .es256(let key): message.withUnsafeBytes { key.verify(der: signature, of: $0) }
        case .edDSA(let key): key.verifies(signature, of: message)
        case .rs256(let key): key.verifies(signature, of: message)
        }
    }
}

extension COSEKey {
    /// The numbers of a key's members (RFC 9052, table 4; RFC 9053, tables 17 and 19; RFC 8230,
    /// table 4). The negative ones mean something else for each kind of key.
    private enum Label {
        static let kind: Int64 = 1
        static let algorithm: Int64 = 3
        static let curve: Int64 = -1
        static let x: Int64 = -2
        static let y: Int64 = -3
        static let modulus: Int64 = -1
        static let exponent: Int64 = -2
    }

    /// Checks the kind, and that nothing is missing or added. Attack: a key with its private part,
    /// which would be stored here.
    private static func require(
        _ kind: Int64, _ labels: Set<Int64>, in map: CBORMap
    ) throws(COSEKeyError) {
        let all = Set(([Label.kind, Label.algorithm] + labels).map(CBORMap.Key.integer))
        guard map.members.count == all.count, map.members.allSatisfy({ all.contains($0.key) }),
            map[Label.kind]?.integer == kind
        else { throw .members }
    }

    private static func p256(_ map: CBORMap) throws(COSEKeyError) -> P256Key {
        try require(2, [Label.curve, Label.x, Label.y], in: map)
        guard map[Label.curve]?.integer == 1, let x = map[Label.x]?.bytes,
            let y = map[Label.y]?.bytes, x.count == P256Key.coordinateBytes,
            y.count == P256Key.coordinateBytes,
            // The reason does not matter: the key is refused.
            let key = try? P256Key(point: [4] + x + y, scalar: nil)
        else { throw .value }
        return key
    }

    /// A point that is not on the curve is found when it is to verify a signature: there is none.
    private static func ed25519(_ map: CBORMap) throws(COSEKeyError) -> Ed25519VerifyingKey {
        try require(1, [Label.curve, Label.x], in: map)
        guard map[Label.curve]?.integer == 6, let x = map[Label.x]?.bytes,
            // As above.
            let key = try? Ed25519VerifyingKey(bytes: x)
        else { throw .value }
        return key
    }

    private static func rsa(_ map: CBORMap) throws(COSEKeyError) -> RSAVerifyingKey {
        try require(3, [Label.modulus, Label.exponent], in: map)
        guard let modulus = map[Label.modulus]?.bytes, let exponent = map[Label.exponent]?.bytes,
            modulus.drop(while: { $0 == 0 }).count <= modulusBitsMax / 8,
            // As above.
            let key = try? RSAVerifyingKey(modulus: modulus, exponent: exponent)
        else { throw .value }
        return key
    }
}
