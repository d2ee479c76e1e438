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
        try withContiguousBytes(of: message) { try RSA.sign($0, with: key) }
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
        withContiguousBytes(of: message) { RSA.verify(signature, of: $0, with: key) }
    }
}
