import COpenSSL

/// Whether two byte strings are equal, in a time that depends only on their lengths.
///
/// An ordinary `==` stops at the first difference, so that an attacker who measures response times
/// can guess a code or a MAC byte by byte. Lengths are considered public.
package func constantTimeEqual(
    _ left: some Collection<UInt8>, _ right: some Collection<UInt8>
) -> Bool {
    withContiguousBytes(of: left) { left in
        withContiguousBytes(of: right) { right in
            guard left.count == right.count else { return false }
            guard let first = left.baseAddress, let second = right.baseAddress else { return true }
            return CRYPTO_memcmp(first, second, left.count) == 0
        }
    }
}

/// Overwrites borrowed memory with zeros, in a way that the optimiser cannot remove. For a buffer
/// with another owner, after its content has been used. All other users of the buffer then read
/// zeros.
package func wipe(_ memory: UnsafeRawBufferPointer) {
    OPENSSL_cleanse(UnsafeMutableRawPointer(mutating: memory.baseAddress), memory.count)
}

/// Overwrites `bytes` with zeros and empties the array, in a way that the optimiser cannot remove.
/// Reaches only this array's storage: a copy that shares it keeps its content.
package func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    bytes = []
}
