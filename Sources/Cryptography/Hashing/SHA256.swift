import COpenSSL

/// SHA-256 (FIPS 180-4) of a whole message, or of one that arrives in parts.
package struct SHA256: ~Copyable {
    /// The size of a hash, in bytes.
    package static let byteCount = 32

    private let context: OpaquePointer

    /// A hash without input.
    package init() {
        // This and the calls below fail only for lack of memory, without which the program cannot
        // continue.
        guard let context = EVP_MD_CTX_new(),
            EVP_DigestInit_ex(context, Algorithms.sha256, nil) == 1
        else { preconditionFailure("no memory for a SHA-256 context") }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds the next part of the message.
    package mutating func update(_ part: some Collection<UInt8>) {
        let updated = withContiguousBytes(of: part) {
            EVP_DigestUpdate(context, $0.baseAddress, $0.count)
        }
        precondition(updated == 1, "SHA-256 does not fail once begun")
    }

    /// The 32-byte hash of all parts.
    package consuming func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, filled in
            let finished = EVP_DigestFinal_ex(context, buffer.baseAddress, nil)
            precondition(finished == 1, "SHA-256 does not fail once begun")
            filled = Self.byteCount
        }
    }

    /// The 32-byte hash of `message`.
    package static func hash(_ message: some Collection<UInt8>) -> [UInt8] {
        withContiguousBytes(of: message) { message in
            [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, filled in
                let hashed = EVP_Digest(
                    message.baseAddress, message.count, buffer.baseAddress, nil, Algorithms.sha256,
                    nil)
                precondition(hashed == 1, "no memory for a SHA-256 context")
                filled = byteCount
            }
        }
    }
}

/// OpenSSL's algorithms, fetched once: OpenSSL 3 looks up each by name under a lock, which costs
/// more than a short hash.
///
/// `nonisolated(unsafe)`: fetched algorithms are immutable, with atomic reference counts
/// (EVP_MD_fetch(3), crypto(7)).
enum Algorithms {
    nonisolated(unsafe) static let sha256 = found(EVP_MD_fetch(nil, "SHA256", nil))
    nonisolated(unsafe) static let aes256GCM = found(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
    // For imported password hashes and, sha1, for authenticator apps; nonisolated(unsafe) as above.
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
