import COpenSSL
import ServiceRuntime

/// OpenSSL's random generator, seeded by the operating system, for what others may see: nonces,
/// identifiers, salts, tokens.
package struct SecureRandomness: Randomness {
    /// The generator; all values of this type are the same one.
    package init() {}

    package func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        // A program without randomness must not go on: it would hand out guessable secrets.
        let filled = RAND_bytes_ex(nil, buffer.baseAddress, buffer.count, 0)
        precondition(filled == 1, "the system's randomness has failed")
    }
}

/// OpenSSL's second generator, for what nobody sees: keys. It shares no state with the first, so
/// that what the first has shown can tell nothing about a key.
package struct KeyRandomness: Randomness {
    /// The generator; all values of this type are the same one.
    package init() {}

    package func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        let filled = RAND_priv_bytes_ex(nil, buffer.baseAddress, buffer.count, 0)
        precondition(filled == 1, "the system's randomness has failed")
    }
}
