/// HMAC-SHA-256 (RFC 2104, FIPS 198-1) under one key: look-up keys that cannot be guessed from a
/// stolen store (R-05, I-06), and MACs over tokens and proofs.
///
/// The two hashes that have taken in the key are kept, and copied for each message: so a short one
/// costs two blocks of SHA-256 and nothing else, and nobody waits for anybody.
package final class KeyedHash: Sendable {
    /// Bytes in a full hash.
    package static let byteCount = 32
    /// Bytes in a look-up key: 128 bits collide by chance only after 2⁶⁴ rows.
    package static let lookUpKeyBytes = 16

    private let context: HMACContext

    /// Hashes for one purpose, under a key of its own that is derived from `master`, so that a
    /// hash made for one purpose is worth nothing for another.
    package convenience init(master: SecretBytes, purpose: String) {
        self.init(key: KeyDerivation.key(from: master, purpose: purpose))
    }

    /// Hashes under `key` itself. Where the key serves more than one purpose, the messages must
    /// begin with a label that tells them apart.
    package init(key: SecretBytes) {
        context = HMACContext(key: key)
    }

    /// The 32-byte hash of `message`.
    package func hash(_ message: some Collection<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, filled in
            withContiguousBytes(of: message) { message in
                context.hash(message, into: buffer)
            }
            filled = Self.byteCount
        }
    }

    /// The look-up key of `message` as two numbers, the first byte the highest: for those who make
    /// one in every call. Not generic over what is done with the hash, since another module's types
    /// would be looked up each time.
    package func lookUpNumbers(
        of message: UnsafeRawBufferPointer
    ) -> (first: UInt64, second: UInt64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.byteCount) { hash in
            context.hash(message, into: hash)
            let bytes = UnsafeRawBufferPointer(hash)
            return (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// The first 16 bytes of the hash of `message`, to find a row by.
    package func lookUpKey(_ message: some Collection<UInt8>) -> [UInt8] {
        Array(hash(message).prefix(Self.lookUpKeyBytes))
    }

    /// Whether `code` is the full hash of `message`, in constant time.
    package func verifies(
        _ code: some Collection<UInt8>, of message: some Collection<UInt8>
    ) -> Bool {
        constantTimeEqual(code, hash(message))
    }
}
