import COpenSSL

/// AES-256-GCM with 96-bit nonces and 128-bit tags, through OpenSSL.
struct AESGCM: ~Copyable {
    static let keyBytes = 32
    static let nonceBytes = 12
    static let tagBytes = 16

    /// OpenSSL's state of one operation.
    private let context: OpaquePointer

    /// Returns the ciphertext followed by the tag.
    static func seal(
        _ plaintext: UnsafeRawBufferPointer, key: SecretBytes, nonce: [UInt8],
        associatedData: [UInt8]
    ) throws -> [UInt8] {
        let cipher = try AESGCM(key: key, nonce: nonce, isSealing: true)
        return try [UInt8](unsafeUninitializedCapacity: plaintext.count + tagBytes) {
            buffer, filled in
            let output = UnsafeMutableRawBufferPointer(buffer)
            try cipher.process(associatedData: associatedData, plaintext, into: output)
            try cipher.finishSealing(tag: output.baseAddress.map { $0 + plaintext.count })
            filled = plaintext.count + tagBytes
        }
    }

    /// Decrypts `sealed`, which is ciphertext followed by the tag.
    /// - Throws: `SealedBoxError.notAuthentic`, or `.malformed` for less than a tag. Then no
    ///   plaintext is returned.
    static func open(
        _ sealed: some Collection<UInt8>, key: SecretBytes, nonce: [UInt8],
        associatedData: [UInt8]
    ) throws -> SecretBytes {
        guard sealed.count >= tagBytes else { throw SealedBoxError.malformed }
        let cipher = try AESGCM(key: key, nonce: nonce, isSealing: false)
        let tag = Array(sealed.suffix(tagBytes))
        return try SecretBytes(count: sealed.count - tagBytes) { output in
            try withContiguousBytes(of: sealed.dropLast(tagBytes)) {
                try cipher.process(associatedData: associatedData, $0, into: output)
            }
            try cipher.finishOpening(tag: tag)
        }
    }

    /// Begins one operation.
    private init(key: SecretBytes, nonce: [UInt8], isSealing: Bool) throws {
        precondition(key.count == Self.keyBytes && nonce.count == Self.nonceBytes)
        guard let made = EVP_CIPHER_CTX_new() else { throw CryptographyError.library("cipher") }
        let isReady = key.withBytes { key in
            EVP_CipherInit_ex2(
                made, Algorithms.aes256GCM, key.bindMemory(to: UInt8.self).baseAddress, nonce,
                isSealing ? 1 : 0, nil)
        }
        guard isReady == 1 else {
            EVP_CIPHER_CTX_free(made)
            throw CryptographyError.library("cipher")
        }
        context = made
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    private func process(
        associatedData: [UInt8], _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws {
        guard let data = Int32(exactly: associatedData.count),
            let size = Int32(exactly: input.count)
        else { throw CryptographyError.library("cipher: over 2 GiB") }
        var written: Int32 = 0
        guard EVP_CipherUpdate(context, nil, &written, associatedData, data) == 1 else {
            throw CryptographyError.library("cipher: associated data")
        }
        // A null output pointer would mean associated data again.
        guard size > 0 else { return }
        let target = output.bindMemory(to: UInt8.self).baseAddress
        let source = input.bindMemory(to: UInt8.self).baseAddress
        guard EVP_CipherUpdate(context, target, &written, source, size) == 1, written == size else {
            throw CryptographyError.library("cipher: text")
        }
    }

    private func finishSealing(tag: UnsafeMutableRawPointer?) throws {
        var none = [UInt8](repeating: 0, count: 16)
        var written: Int32 = 0
        guard EVP_CipherFinal_ex(context, &none, &written) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagBytes), tag) == 1
        else { throw CryptographyError.library("cipher: tag") }
    }

    private func finishOpening(tag: [UInt8]) throws {
        var none = [UInt8](repeating: 0, count: 16)
        var written: Int32 = 0
        guard copenssl_set_gcm_tag(context, Int32(tag.count), tag) == 1,
            EVP_CipherFinal_ex(context, &none, &written) == 1
        else {
            ERR_clear_error()
            throw SealedBoxError.notAuthentic
        }
    }
}
