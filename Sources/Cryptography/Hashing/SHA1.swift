import COpenSSL

/// SHA-1 (FIPS 180-4) of a secret, because lists of leaked passwords are sorted by it. Two messages
/// with one SHA-1 can be made (SHAttered, 2017), so it proves nothing: for everything else there is
/// `SHA256`.
package enum SHA1 {
    /// The size of a hash, in bytes.
    package static let byteCount = 20

    /// The 20-byte hash of `message`, wiped when it is released. OpenSSL wipes the state that it
    /// allocates for the call.
    package static func hash(_ message: SecretBytes) -> SecretBytes {
        SecretBytes(count: byteCount) { output in
            let hashed = message.withBytes { message in
                EVP_Digest(
                    message.baseAddress, message.count,
                    output.bindMemory(to: UInt8.self).baseAddress, nil, Algorithms.sha1, nil)
            }
            precondition(hashed == 1, "no memory for a SHA-1 context")
        }
    }
}
