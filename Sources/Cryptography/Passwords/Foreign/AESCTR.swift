import COpenSSL

/// AES-256 in counter mode with an initial counter of zero. Only Firebase's hashes may use it,
/// since it does not authenticate the text.
enum AESCTR {
    private static let keyBytes = 32
    private static let counter = [UInt8](repeating: 0, count: 16)

    /// The ciphertext of `plaintext` under `key`, which must be used only once.
    /// - Throws: `CryptographyError`.
    static func encrypt(_ plaintext: SecretBytes, key: SecretBytes) throws -> [UInt8] {
        precondition(key.count == keyBytes, "an AES-256 key has 32 bytes")
        guard let context = EVP_CIPHER_CTX_new(), let count = Int32(exactly: plaintext.count)
        else { throw CryptographyError.library("cipher") }
        defer { EVP_CIPHER_CTX_free(context) }
        let isReady = key.withBytes { key in
            EVP_CipherInit_ex2(
                context, Algorithms.aes256CTR, key.bindMemory(to: UInt8.self).baseAddress,
                counter, 1, nil)
        }
        guard isReady == 1 else { throw CryptographyError.library("cipher") }
        return try [UInt8](unsafeUninitializedCapacity: plaintext.count) { output, filled in
            var written: Int32 = 0
            let isDone = plaintext.withBytes { plaintext in
                EVP_CipherUpdate(
                    context, output.baseAddress, &written,
                    plaintext.bindMemory(to: UInt8.self).baseAddress, count)
            }
            guard isDone == 1, written == count else { throw CryptographyError.library("cipher") }
            filled = plaintext.count
        }
    }
}
