import COpenSSL

/// RSA with PKCS #1 v1.5 padding and SHA-256 (RFC 8017, 8.2) through OpenSSL. For DKIM, whose
/// verifiers support nothing newer, and for the tokens of identity providers (RS256). None of our
/// own tokens use it.
enum RSA {
    /// The largest signature, in bytes. A signature is as long as its key's modulus: 1,024 bytes
    /// for the longest key.
    static let signatureBytesMax = 1_024

    static func sign(_ message: UnsafeRawBufferPointer, with key: RSAKey) throws -> [UInt8] {
        try key.signatures.sign(message, bytesMax: signatureBytesMax)
    }

    /// Whether `signature` is a valid signature of `message` by `key`.
    static func verify(
        _ signature: [UInt8], of message: UnsafeRawBufferPointer, with key: RSAKey
    ) -> Bool {
        key.signatures.verify(signature, of: message)
    }
}

/// An RSA key in OpenSSL's memory: public, or private with its public part.
// Unchecked: a complete EVP_PKEY is immutable and its reference count is atomic, so that any number
// of threads may sign and verify with it (EVP_PKEY_new(3), crypto(7)).
final class RSAKey: @unchecked Sendable {
    let pointer: OpaquePointer
    let signatures: HashSignatures

    /// Takes ownership of one reference.
    private init(taking pointer: OpaquePointer) {
        self.pointer = pointer
        signatures = HashSignatures(key: pointer)
    }

    /// Generates a key pair.
    /// - Throws: `CryptographyError`.
    convenience init(generating bits: Int) throws {
        self.init(taking: try Self.taken(copenssl_generate_rsa(bits)))
    }

    /// Parses a private key in DER: PKCS #8, or PKCS #1 as older tools write it.
    /// - Throws: `CryptographyError`.
    convenience init(privateDER der: UnsafeRawBufferPointer) throws {
        var position = der.bindMemory(to: UInt8.self).baseAddress
        self.init(taking: try Self.taken(d2i_AutoPrivateKey(nil, &position, der.count)))
    }

    /// Parses a public key in a SubjectPublicKeyInfo (RFC 5280, 4.1).
    /// - Throws: `CryptographyError`.
    convenience init(publicDER der: [UInt8]) throws {
        let pointer = try der.withUnsafeBufferPointer { der in
            var position = der.baseAddress
            return try Self.taken(d2i_PUBKEY(nil, &position, der.count))
        }
        self.init(taking: pointer)
    }

    deinit { EVP_PKEY_free(pointer) }

    /// The length of the modulus, in bits.
    var bits: Int { Int(EVP_PKEY_get_bits(pointer)) }

    /// The public key as a SubjectPublicKeyInfo.
    func publicDER() throws -> [UInt8] {
        let count = i2d_PUBKEY(pointer, nil)
        guard count > 0 else { throw CryptographyError.library("RSA: public key") }
        var der = [UInt8](repeating: 0, count: Int(count))
        let written = der.withUnsafeMutableBufferPointer { der in
            var position = der.baseAddress
            return i2d_PUBKEY(pointer, &position)
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
