import COpenSSL

/// Whether two byte strings are the same, in a time that depends on their lengths only.
///
/// An ordinary `==` stops at the first difference, so that an attacker who measures answers can
/// guess a code or a MAC byte by byte. Lengths are taken to be public.
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

/// Overwrites lent memory with zeros, in a way that no optimiser removes: a buffer that others own,
/// whose content has been used. Whoever else holds the buffer sees zeros too.
package func wipe(_ memory: UnsafeRawBufferPointer) {
    OPENSSL_cleanse(UnsafeMutableRawPointer(mutating: memory.baseAddress), memory.count)
}

/// Overwrites `bytes` with zeros and empties the array, in a way that no optimiser removes. Only
/// this array's storage is reached: a copy that shares it keeps its content.
package func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    bytes = []
}
