import COpenSSL

/// Derives keys for single purposes from one master key (HKDF-SHA-256, RFC 5869). A program keeps
/// one secret, and no two uses share a key.
package enum KeyDerivation {
    /// The 32-byte key for `purpose`. The master key must be random, never a password.
    package static func key(from master: SecretBytes, purpose: String) -> SecretBytes {
        derive(from: master, salt: [], info: Array(purpose.utf8), count: 32)
    }

    /// HKDF as RFC 5869 defines it: extract with `salt`, expand with `info` to `count` bytes (at
    /// most 255 × 32).
    static func derive(
        from material: SecretBytes, salt: [UInt8], info: [UInt8], count: Int
    ) -> SecretBytes {
        SecretBytes(count: count) { output in
            // This can fail only for lack of memory or invalid lengths, which are constants here.
            let isDone = material.withBytes { material in
                expand(material, salt: salt, info: info, into: output)
            }
            precondition(isDone, "HKDF failed with valid lengths")
        }
    }

    private static func expand(
        _ material: UnsafeRawBufferPointer, salt: [UInt8], info: [UInt8],
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        let bytes = material.bindMemory(to: UInt8.self)
        var count = output.count
        return EVP_PKEY_derive_init(context) == 1
            && EVP_PKEY_CTX_set_hkdf_md(context, Algorithms.sha256) == 1
            && EVP_PKEY_CTX_set1_hkdf_salt(context, salt, Int32(salt.count)) == 1
            && EVP_PKEY_CTX_set1_hkdf_key(context, bytes.baseAddress, Int32(bytes.count)) == 1
            && EVP_PKEY_CTX_add1_hkdf_info(context, info, Int32(info.count)) == 1
            && EVP_PKEY_derive(context, output.baseAddress, &count) == 1
            && count == output.count
    }
}
