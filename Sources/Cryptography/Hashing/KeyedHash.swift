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

    /// Does something with the 32-byte hash of `message`, which is nowhere but on the stack: for
    /// those who make one in every call and keep numbers.
    package func withHash<R>(
        of message: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> R
    ) -> R {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.byteCount) { hash in
            context.hash(message, into: hash)
            return body(UnsafeRawBufferPointer(hash))
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
