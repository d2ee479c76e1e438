import COpenSSL
import ServiceRuntime

/// OpenSSL's public random generator, seeded by the operating system, for values that others may
/// see: nonces, identifiers, salts, tokens.
package struct SecureRandomness: Randomness {
    /// The generator. All values of this type share it.
    package init() {}

    package func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        // A program without randomness must not continue: it would issue guessable secrets.
        let filled = RAND_bytes_ex(nil, buffer.baseAddress, buffer.count, 0)
        precondition(filled == 1, "the system's randomness has failed")
    }
}

/// OpenSSL's private random generator, for values that stay secret: keys. It shares no state with
/// the public generator, so that the public one's output reveals nothing about a key.
package struct KeyRandomness: Randomness {
    /// The generator. All values of this type share it.
    package init() {}

    package func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        let filled = RAND_priv_bytes_ex(nil, buffer.baseAddress, buffer.count, 0)
        precondition(filled == 1, "the system's randomness has failed")
    }
}
