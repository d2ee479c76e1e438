import COpenSSL

/// A private ES256 key, which signs. It is stored as its scalar, sealed (`SealedBox`).
package struct SigningKey: Sendable {
    /// The public half.
    package let verifyingKey: VerifyingKey
    private let key: P256Key

    private init(key: P256Key, point: [UInt8]) {
        self.key = key
        verifyingKey = VerifyingKey(key: key, point: point)
    }

    /// Generates a key.
    /// - Throws: `CryptographyError` when OpenSSL has no memory or no randomness.
    package static func generate() throws -> SigningKey {
        let key = try P256Key.generate()
        return SigningKey(key: key, point: try key.point())
    }

    /// The key with the private scalar `scalar` (32 bytes, big-endian).
    /// - Throws: `CryptographyError.invalidKey` unless it is in 1 … n−1.
    package init(scalar: SecretBytes) throws {
        let point = try P256Key.point(of: scalar)
        self.init(key: try P256Key(point: point, scalar: scalar), point: point)
    }

    /// The private scalar (32 bytes, big-endian), to be sealed and stored.
    /// - Throws: `CryptographyError` when OpenSSL fails.
    package func scalar() throws -> SecretBytes { try key.scalar() }

    /// The `kid` of tokens that this key signs.
    package var identifier: String { verifyingKey.identifier }

    /// A signature of 64 bytes, r and s. It differs each time, since ECDSA uses a random number.
    /// - Throws: `CryptographyError` when OpenSSL has no memory or no randomness.
    package func sign(_ message: some Collection<UInt8>) throws -> [UInt8] {
        try withContiguousBytes(of: message) { try key.sign($0) }
    }
}

/// A P-256 key in the file format of other systems.
extension SigningKey {
    /// Parses a private key in PEM: PKCS #8, as in Apple's `AuthKey_….p8` and as written by
    /// `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`.
    /// - Throws: `CryptographyError.invalidKey` for anything else.
    package init(pem: SecretBytes) throws {
        guard let der = PEM.secret(of: pem, labels: ["PRIVATE KEY"]),
            let key = der.withBytes(Self.key)
        else {
            ERR_clear_error()
            throw CryptographyError.invalidKey("not a PEM text of one P-256 private key")
        }
        try self.init(scalar: try key.scalar())
        // The scalar of a key on another curve would give another point here.
        guard try key.point() == [4] + verifyingKey.x + verifyingKey.y else {
            throw CryptographyError.invalidKey("the key is on another curve than P-256")
        }
    }

    private static func key(in der: UnsafeRawBufferPointer) -> P256Key? {
        var position = der.bindMemory(to: UInt8.self).baseAddress
        guard let pointer = d2i_AutoPrivateKey(nil, &position, der.count) else { return nil }
        return P256Key(taking: pointer)
    }
}

/// A public ES256 key, which verifies signatures. Its name is its RFC 7638 thumbprint, or the `kid`
/// under which its owner publishes it.
package struct VerifyingKey: Sendable {
    /// The `kid` by which tokens name it.
    package let identifier: String
    let key: P256Key
    private let point: [UInt8]

    /// A key from its coordinates, 32 bytes each.
    /// - Throws: `CryptographyError.invalidKey` when they are not a point on the curve.
    package init(x: [UInt8], y: [UInt8], identifier: String? = nil) throws {
        guard x.count == P256Key.coordinateBytes, y.count == P256Key.coordinateBytes else {
            throw CryptographyError.invalidKey("a coordinate has \(P256Key.coordinateBytes) bytes")
        }
        let point = [4] + x + y
        self.init(
            key: try P256Key(point: point, scalar: nil), point: point, identifier: identifier)
    }

    init(key: P256Key, point: [UInt8], identifier: String? = nil) {
        self.key = key
        self.point = point
        self.identifier = identifier ?? Self.thumbprint(of: point)
    }

    /// The x coordinate, 32 bytes.
    package var x: [UInt8] { Array(point[1...P256Key.coordinateBytes]) }

    /// The y coordinate, 32 bytes.
    package var y: [UInt8] { Array(point[(1 + P256Key.coordinateBytes)...]) }

    /// Whether `signature` (64 bytes) is a valid signature of `message` by this key.
    ///
    /// With (r, s), (r, n − s) is valid too: RFC 7515 and RFC 7518 (3.4) demand no low s, and not
    /// every issuer and secure hardware produces it. So a signature, or a token's text, is no
    /// identity: what is good once is recognised by what was signed (a nonce, a moment, a counter).
    package func verifies(_ signature: [UInt8], of message: some Collection<UInt8>) -> Bool {
        withContiguousBytes(of: message) { key.verify(signature, of: $0) }
    }

    /// The RFC 7638 thumbprint: the hash of the key's required members, sorted, without spaces.
    private static func thumbprint(of point: [UInt8]) -> String {
        let x = Base64URL.encode(point[1...P256Key.coordinateBytes])
        let y = Base64URL.encode(point[(1 + P256Key.coordinateBytes)...])
        let members = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
        return Base64URL.encode(SHA256.hash(members.utf8))
    }
}
