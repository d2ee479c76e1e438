import COpenSSL

/// OpenSSL's RSA with PKCS #1 v1.5 padding and SHA-256 (RFC 8017, 8.2). For DKIM, whose verifiers
/// know nothing newer, and for the tokens of providers (RS256); nothing of ours is signed by it.
enum RSA {
    /// A signature is as long as its key's modulus: 1,024 bytes for the longest key.
    static let signatureBytesMax = 1_024

    static func sign(_ message: UnsafeRawBufferPointer, with key: RSAKey) throws -> [UInt8] {
        try key.signatures.sign(message, bytesMax: signatureBytesMax)
    }

    /// Whether `signature` is `key`'s over `message`; false for anything that is no signature.
    static func verify(
        _ signature: [UInt8], of message: UnsafeRawBufferPointer, with key: RSAKey
    ) -> Bool {
        key.signatures.verify(signature, of: message)
    }
}

/// An RSA key that OpenSSL holds; public, or private with its public part.
// Unchecked: a complete EVP_PKEY is immutable and its count is atomic, so that any number of
// threads may sign and verify with it (EVP_PKEY_new(3), crypto(7)).
final class RSAKey: @unchecked Sendable {
    let pointer: OpaquePointer
    let signatures: HashSignatures

    /// Takes over one reference.
    private init(taking pointer: OpaquePointer) {
        self.pointer = pointer
        signatures = HashSignatures(key: pointer)
    }

    /// A new key pair.
    convenience init(generating bits: Int) throws {
        self.init(taking: try Self.taken(copenssl_generate_rsa(bits)))
    }

    /// A private key in DER: PKCS #8, or PKCS #1 as older tools write it.
    convenience init(privateDER der: UnsafeRawBufferPointer) throws {
        var position = der.bindMemory(to: UInt8.self).baseAddress
        self.init(taking: try Self.taken(d2i_AutoPrivateKey(nil, &position, der.count)))
    }

    /// A public key as a SubjectPublicKeyInfo (RFC 5280, 4.1).
    convenience init(publicDER der: [UInt8]) throws {
        let pointer = try der.withUnsafeBufferPointer { der in
            var position = der.baseAddress
            return try Self.taken(d2i_PUBKEY(nil, &position, der.count))
        }
        self.init(taking: pointer)
    }

    deinit { EVP_PKEY_free(pointer) }

    /// The length of the modulus.
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
            throw CryptographyError.invalidKey("a key that is not for RSA")
        }
        return pointer
    }
}
