import COpenSSL

/// Ed25519 (RFC 8032, PureEdDSA) through OpenSSL: signatures without randomness, with keys of 32
/// bytes.
enum Ed25519 {
    /// The size of a seed and of a public key, in bytes.
    static let keyBytes = 32
    /// The size of a signature, in bytes.
    static let signatureBytes = 64

    static func sign(_ message: UnsafeRawBufferPointer, with key: Ed25519Key) throws -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw CryptographyError.library("Ed25519") }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: signatureBytes)
        var count = signature.count
        let bytes = message.bindMemory(to: UInt8.self)
        guard EVP_DigestSignInit(context, nil, nil, nil, key.pointer) == 1,
            EVP_DigestSign(context, &signature, &count, bytes.baseAddress, bytes.count) == 1,
            count == signatureBytes
        else { throw CryptographyError.library("Ed25519: sign") }
        return signature
    }

    /// Whether `signature` is a valid signature of `message` by `key`.
    static func verify(
        _ signature: [UInt8], of message: UnsafeRawBufferPointer, with key: Ed25519Key
    ) -> Bool {
        guard signature.count == signatureBytes, let context = EVP_MD_CTX_new() else {
            return false
        }
        defer {
            EVP_MD_CTX_free(context)
            // A rejected signature leaves errors in this thread's error queue.
            ERR_clear_error()
        }
        let bytes = message.bindMemory(to: UInt8.self)
        return EVP_DigestVerifyInit(context, nil, nil, nil, key.pointer) == 1
            && EVP_DigestVerify(
                context, signature, signature.count, bytes.baseAddress, bytes.count) == 1
    }
}

/// An Ed25519 key in OpenSSL's memory: public, or private with its public part.
// Unchecked: a complete EVP_PKEY is immutable and its reference count is atomic, so that any number
// of threads may sign and verify with it (EVP_PKEY_new(3), crypto(7)).
final class Ed25519Key: @unchecked Sendable {
    let pointer: OpaquePointer

    init(publicKey: [UInt8]) throws {
        pointer = try Self.taken(
            EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count))
    }

    init(seed: SecretBytes) throws {
        pointer = try seed.withBytes { bytes in
            try Self.taken(
                EVP_PKEY_new_raw_private_key(
                    EVP_PKEY_ED25519, nil, bytes.bindMemory(to: UInt8.self).baseAddress,
                    bytes.count))
        }
    }

    deinit { EVP_PKEY_free(pointer) }

    /// The public key, 32 bytes.
    func publicKey() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Ed25519.keyBytes)
        var count = bytes.count
        guard EVP_PKEY_get_raw_public_key(pointer, &bytes, &count) == 1, count == bytes.count else {
            throw CryptographyError.library("Ed25519: public key")
        }
        return bytes
    }

    private static func taken(_ pointer: OpaquePointer?) throws -> OpaquePointer {
        guard let pointer else { throw CryptographyError.library("Ed25519: key") }
        return pointer
    }
}
