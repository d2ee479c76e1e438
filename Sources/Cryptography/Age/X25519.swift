import COpenSSL

/// Key agreement on Curve25519 (RFC 7748, section 6.1).
enum X25519 {
    /// The size of a secret key, a public key and a shared secret, in bytes.
    static let keyBytes = 32

    /// The public key of a secret key. Any 32 bytes are a secret key.
    /// - Throws: `CryptographyError` when OpenSSL fails.
    static func publicKey(of secretKey: SecretBytes) throws -> [UInt8] {
        let key = try key(of: secretKey)
        defer { EVP_PKEY_free(key) }
        var bytes = [UInt8](repeating: 0, count: keyBytes)
        var count = bytes.count
        guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == keyBytes else {
            throw CryptographyError.library("X25519: public key")
        }
        return bytes
    }

    /// The secret that the owners of the two keys share. Nil for a public key of low order: the
    /// secret would be zeros for every secret key.
    /// - Throws: `CryptographyError` when OpenSSL fails.
    static func sharedSecret(
        _ secretKey: SecretBytes, with publicKey: [UInt8]
    ) throws -> SecretBytes? {
        precondition(publicKey.count == keyBytes)
        let own = try key(of: secretKey)
        defer { EVP_PKEY_free(own) }
        guard
            let peer = EVP_PKEY_new_raw_public_key(
                EVP_PKEY_X25519, nil, publicKey, publicKey.count)
        else { throw CryptographyError.library("X25519: public key") }
        defer { EVP_PKEY_free(peer) }
        guard let context = EVP_PKEY_CTX_new(own, nil) else {
            throw CryptographyError.library("X25519")
        }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer) == 1
        else { throw CryptographyError.library("X25519") }
        var isDone = false
        let secret = SecretBytes(count: keyBytes) { output in
            var count = output.count
            isDone =
                EVP_PKEY_derive(context, output.baseAddress, &count) == 1 && count == output.count
        }
        // With valid keys this fails only for zeros.
        if !isDone { ERR_clear_error() }
        return isDone ? secret : nil
    }

    private static func key(of secretKey: SecretBytes) throws -> OpaquePointer {
        precondition(secretKey.count == keyBytes)
        let key = secretKey.withBytes { bytes in
            EVP_PKEY_new_raw_private_key(
                EVP_PKEY_X25519, nil, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        guard let key else { throw CryptographyError.library("X25519: secret key") }
        return key
    }
}
