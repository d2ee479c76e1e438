import COpenSSL

/// A P-256 key in OpenSSL's memory: public, or private with its public part.
// Unchecked: a complete EVP_PKEY is immutable and its reference count is atomic, so that any number
// of threads may sign and verify with it (EVP_PKEY_new(3), crypto(7)).
final class P256Key: @unchecked Sendable {
    let pointer: OpaquePointer
    let signatures: HashSignatures

    /// Takes ownership of one reference.
    init(taking pointer: OpaquePointer) {
        self.pointer = pointer
        signatures = HashSignatures(key: pointer)
    }

    deinit { EVP_PKEY_free(pointer) }

    /// Generates a key pair with OpenSSL's private random generator.
    /// - Throws: `CryptographyError`.
    static func generate() throws -> P256Key {
        guard let pointer = copenssl_generate_p256() else {
            throw CryptographyError.library("P-256: generate")
        }
        return P256Key(taking: pointer)
    }

    /// The public point, uncompressed.
    func point() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: P256.pointBytes)
        var count = 0
        guard
            EVP_PKEY_get_octet_string_param(
                pointer, OSSL_PKEY_PARAM_PUB_KEY, &bytes, bytes.count, &count) == 1,
            count == P256.pointBytes, bytes[0] == 4
        else { throw CryptographyError.library("P-256: point") }
        return bytes
    }

    /// The private scalar, 32 bytes.
    func scalar() throws -> SecretBytes {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1 else {
            throw CryptographyError.library("P-256: number")
        }
        defer { BN_clear_free(number) }
        return try SecretBytes(count: P256.coordinateBytes) { buffer in
            let bytes = buffer.bindMemory(to: UInt8.self)
            guard BN_bn2binpad(number, bytes.baseAddress, Int32(bytes.count)) == bytes.count else {
                throw CryptographyError.library("P-256: number")
            }
        }
    }

    /// Whether the point is on the curve and, for a private key, belongs to its scalar.
    func check(isPrivate: Bool) throws -> Bool {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else {
            throw CryptographyError.library("P-256: check")
        }
        defer { EVP_PKEY_CTX_free(context) }
        return (isPrivate ? EVP_PKEY_check(context) : EVP_PKEY_public_check(context)) == 1
    }
}
