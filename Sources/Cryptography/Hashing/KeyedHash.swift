import COpenSSL

/// HMAC-SHA-256 (RFC 2104, FIPS 198-1) under one key: look-up keys that cannot be guessed from a
/// stolen store (R-05, I-06), and MACs over tokens and proofs.
///
/// The two inner hash states that contain the key are stored and copied for each message. So a
/// short message costs only two blocks of SHA-256, and there is no lock.
package final class KeyedHash: Sendable {
    /// The size of a full hash, in bytes.
    package static let byteCount = 32
    /// The size of a look-up key, in bytes: 128 bits collide by chance only after 2⁶⁴ rows.
    package static let lookUpKeyBytes = 16

    private static let blockBytes = 64

    // Written only in `init` and wiped in `deinit`, when no other reference exists.
    private nonisolated(unsafe) let halves: UnsafeMutablePointer<copenssl_hmac_sha256>

    /// Hashes for one purpose, under its own key derived from `master`, so that a hash made for one
    /// purpose is useless for another.
    package convenience init(master: SecretBytes, purpose: String) {
        self.init(key: KeyDerivation.key(from: master, purpose: purpose))
    }

    /// Hashes under `key` itself. Where the key has more than one purpose, each message must begin
    /// with a label that identifies its purpose.
    package init(key: SecretBytes) {
        // A key longer than a block is replaced by its hash (RFC 2104, 2).
        let isLong = key.count > Self.blockBytes
        var short = key.withBytes { isLong ? SHA256.hash($0) : Array($0) }
        halves = .allocate(capacity: 1)
        halves.initialize(to: copenssl_hmac_sha256())
        let isSet = copenssl_hmac_sha256_set(halves, short, short.count)
        wipe(&short)
        precondition(isSet == 1, "SHA-256 does not fail")
    }

    deinit {
        OPENSSL_cleanse(halves, MemoryLayout<copenssl_hmac_sha256>.size)
        halves.deallocate()
    }

    /// The 32-byte hash of `message`.
    package func hash(_ message: some Collection<UInt8>) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, filled in
            withContiguousBytes(of: message) { message in
                write(message, into: buffer)
            }
            filled = Self.byteCount
        }
    }

    /// The look-up key of `message` as two numbers, the first byte in the highest position, for
    /// code that needs one in every call. Not generic, since the types of another module would be
    /// looked up each time.
    package func lookUpNumbers(
        of message: UnsafeRawBufferPointer
    ) -> (first: UInt64, second: UInt64) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.byteCount) { hash in
            write(message, into: hash)
            let bytes = UnsafeRawBufferPointer(hash)
            return (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// The first 16 bytes of the hash of `message`, used to find a row.
    package func lookUpKey(_ message: some Collection<UInt8>) -> [UInt8] {
        Array(hash(message).prefix(Self.lookUpKeyBytes))
    }

    /// Whether `code` is the full hash of `message`, in constant time.
    package func verifies(
        _ code: some Collection<UInt8>, of message: some Collection<UInt8>
    ) -> Bool {
        constantTimeEqual(code, hash(message))
    }

    /// Writes the hash of `message`, `byteCount` bytes, to `buffer`.
    private func write(
        _ message: UnsafeRawBufferPointer, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) {
        precondition(buffer.count >= Self.byteCount)
        let isDone = copenssl_hmac_sha256_hash(
            halves, message.baseAddress, message.count, buffer.baseAddress)
        precondition(isDone == 1, "SHA-256 does not fail")
    }
}
