import COpenSSL

/// A private RSA key that signs mails (DKIM, RFC 6376, 3.3.1): PKCS #1 v1.5 with SHA-256. Tests
/// also use it to sign the tokens of identity providers.
package struct RSASigningKey: Sendable {
    /// The shortest modulus that is accepted, in bits: RFC 8301, 3.2, requires it of signers.
    package static let bitsMin = 2_048
    /// The longest modulus, in bits. Each doubling makes a signature six times as slow, and
    /// verifiers need not support longer ones.
    package static let bitsMax = 4_096

    /// The public half as a SubjectPublicKeyInfo, for publication in DNS.
    package let publicDER: [UInt8]
    private let key: RSAKey

    /// Reads the private key in the file `path`, which only its owner may read: PEM, as written by
    /// `openssl genrsa 2048` or `openssl genpkey -algorithm rsa`.
    /// - Throws: `SecretFileError`, `CryptographyError`.
    package init(file path: String) throws {
        let content = try SecretFile.read(path)
        let labels = ["PRIVATE KEY", "RSA PRIVATE KEY"]
        guard let der = PEM.secret(of: content, labels: labels) else {
            throw SecretFileError.notAKey(path: path)
        }
        try self.init(der: der)
    }

    /// Parses a private key in PEM, PKCS #8, as Google's service accounts contain it.
    /// - Throws: `CryptographyError` for any other text.
    package init(pem: SecretBytes) throws {
        guard let der = PEM.secret(of: pem, labels: ["PRIVATE KEY"]) else {
            throw CryptographyError.invalidKey("not a PEM private key")
        }
        try self.init(der: der)
    }

    /// Generates a key.
    /// - Throws: `CryptographyError`.
    package static func generate(bits: Int = bitsMin) throws -> RSASigningKey {
        try RSASigningKey(key: RSAKey(generating: bits))
    }

    /// Parses a private key in DER (PKCS #8 or PKCS #1).
    /// - Throws: `CryptographyError`.
    package init(der: SecretBytes) throws {
        try self.init(key: der.withBytes { try RSAKey(privateDER: $0) })
    }

    private init(key: RSAKey) throws {
        self.key = key
        guard (Self.bitsMin...Self.bitsMax).contains(key.bits) else {
            throw CryptographyError.invalidKey(
                "an RSA key of \(key.bits) bits; it must have \(Self.bitsMin) to \(Self.bitsMax)")
        }
        publicDER = try key.publicDER()
    }

    /// A signature as long as the modulus, the same each time for one message.
    /// - Throws: `CryptographyError` when OpenSSL fails.
    package func sign(_ message: some Collection<UInt8>) throws -> [UInt8] {
        try withContiguousBytes(of: message) {
            try key.signatures.sign($0, bytesMax: RSAKey.signatureBytesMax)
        }
    }
}

/// A public RSA key, which verifies signatures.
package struct RSAVerifyingKey: Sendable {
    private let key: RSAKey

    /// Parses a key in a SubjectPublicKeyInfo.
    /// - Throws: `CryptographyError`.
    package init(publicDER: [UInt8]) throws {
        key = try RSAKey(publicDER: publicDER)
    }

    /// Whether `signature` is a valid signature of `message` by this key.
    package func verifies(_ signature: [UInt8], of message: some Collection<UInt8>) -> Bool {
        withContiguousBytes(of: message) { key.signatures.verify(signature, of: $0) }
    }
}

/// A public RSA key as in JSON Web Keys: its modulus and its exponent (RFC 7518, 6.3.1).
extension RSAVerifyingKey {
    /// The shortest modulus that a token's key may have, in bits (RFC 7518, 3.3).
    package static let bitsMin = 2_048
    /// The longest modulus, in bits, so that a signature has at most `RSAKey.signatureBytesMax`
    /// bytes. A longer key would let its publisher make verification expensive.
    package static let bitsMax = 8 * RSAKey.signatureBytesMax
    /// The largest exponent, in bytes. A larger one would make verifying as slow as signing; the
    /// usual one is 65,537.
    private static let exponentBytesMax = 4

    /// The key with a modulus and an exponent, both big-endian.
    /// - Throws: `CryptographyError.invalidKey` where they are too short, too long, or no valid
    ///   key.
    package init(modulus: [UInt8], exponent: [UInt8]) throws {
        let modulus = Array(modulus.drop { $0 == 0 })
        let exponent = Array(exponent.drop { $0 == 0 })
        guard let top = modulus.first, let low = modulus.last, let last = exponent.last,
            (Self.bitsMin...Self.bitsMax).contains(modulus.count * 8 - top.leadingZeroBitCount),
            low & 1 == 1, last & 1 == 1, exponent != [1],
            exponent.count <= Self.exponentBytesMax
        else { throw CryptographyError.invalidKey("invalid RSA modulus or exponent") }
        try self.init(publicDER: Self.publicDER(modulus, exponent))
    }

    /// Encodes a SubjectPublicKeyInfo (RFC 8017, A.1.1; RFC 5280, 4.1).
    private static func publicDER(_ modulus: [UInt8], _ exponent: [UInt8]) -> [UInt8] {
        let numbers = DER.tagged(0x30, DER.integer(modulus) + DER.integer(exponent))
        return DER.tagged(0x30, rsaEncryption + DER.tagged(0x03, [0] + numbers))
    }

    /// `SEQUENCE { rsaEncryption, NULL }`
    private static let rsaEncryption: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]
}

/// An RSA key: public, or private with its public part. Its signatures have PKCS #1 v1.5 padding
/// and SHA-256 (RFC 8017, 8.2). For DKIM, whose verifiers support nothing newer, and for the tokens
/// of identity providers (RS256). None of our own tokens use it.
struct RSAKey: Sendable {
    /// The largest signature, in bytes. A signature is as long as its key's modulus: 1,024 bytes
    /// for the longest key.
    static let signatureBytesMax = 1_024

    let signatures: HashSignatures

    /// Generates a key pair.
    /// - Throws: `CryptographyError`.
    init(generating bits: Int) throws {
        signatures = HashSignatures(taking: try Self.taken(copenssl_generate_rsa(bits)))
    }

    /// Parses a private key in DER: PKCS #8, or PKCS #1 as older tools write it.
    /// - Throws: `CryptographyError`.
    init(privateDER der: UnsafeRawBufferPointer) throws {
        var position = der.bindMemory(to: UInt8.self).baseAddress
        signatures = HashSignatures(
            taking: try Self.taken(d2i_AutoPrivateKey(nil, &position, der.count)))
    }

    /// Parses a public key in a SubjectPublicKeyInfo (RFC 5280, 4.1).
    /// - Throws: `CryptographyError`.
    init(publicDER der: [UInt8]) throws {
        signatures = try der.withUnsafeBufferPointer { der in
            var position = der.baseAddress
            return HashSignatures(taking: try Self.taken(d2i_PUBKEY(nil, &position, der.count)))
        }
    }

    /// The length of the modulus, in bits.
    var bits: Int { Int(EVP_PKEY_get_bits(signatures.key)) }

    /// The public key as a SubjectPublicKeyInfo.
    func publicDER() throws -> [UInt8] {
        let count = i2d_PUBKEY(signatures.key, nil)
        guard count > 0 else { throw CryptographyError.library("RSA: public key") }
        var der = [UInt8](repeating: 0, count: Int(count))
        let written = der.withUnsafeMutableBufferPointer { der in
            var position = der.baseAddress
            return i2d_PUBKEY(signatures.key, &position)
        }
        guard written == count else { throw CryptographyError.library("RSA: public key") }
        return der
    }

    private static func taken(_ pointer: OpaquePointer?) throws -> OpaquePointer {
        guard let pointer else { throw CryptographyError.library("RSA: key") }
        guard EVP_PKEY_get_base_id(pointer) == EVP_PKEY_RSA else {
            EVP_PKEY_free(pointer)
            throw CryptographyError.invalidKey("not an RSA key")
        }
        return pointer
    }
}
