import COpenSSL

/// OpenSSL's algorithms, fetched once: OpenSSL 3 looks up each by name under a lock, which costs
/// more than a short hash.
///
/// `nonisolated(unsafe)`: fetched algorithms are immutable, with atomic reference counts
/// (EVP_MD_fetch(3), crypto(7)).
enum Algorithms {
    nonisolated(unsafe) static let sha256 = found(EVP_MD_fetch(nil, "SHA256", nil))
    nonisolated(unsafe) static let aes256GCM = found(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
    // For imported password hashes; nonisolated(unsafe) as above.
    nonisolated(unsafe) static let sha1 = found(EVP_MD_fetch(nil, "SHA1", nil))
    nonisolated(unsafe) static let sha512 = found(EVP_MD_fetch(nil, "SHA512", nil))
    nonisolated(unsafe) static let aes256CTR = found(EVP_CIPHER_fetch(nil, "AES-256-CTR", nil))

    private static func found(_ algorithm: OpaquePointer?) -> OpaquePointer {
        guard let algorithm else {
            preconditionFailure("OpenSSL's default provider has SHA and AES")
        }
        return algorithm
    }
}
