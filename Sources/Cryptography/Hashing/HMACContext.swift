import COpenSSL

/// HMAC-SHA-256 with its key set, for any number of messages and threads at the same time.
// Unchecked: the memory it points to is written only in `init`.
struct HMACContext: ~Copyable, @unchecked Sendable {
    private static let blockBytes = 64

    private let halves: UnsafeMutablePointer<copenssl_hmac_sha256>

    init(key: SecretBytes) {
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

    /// Writes the hash of `message`, `KeyedHash.byteCount` bytes, to `buffer`.
    func hash(
        _ message: UnsafeRawBufferPointer, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) {
        precondition(buffer.count >= KeyedHash.byteCount)
        let isDone = copenssl_hmac_sha256_hash(
            halves, message.baseAddress, message.count, buffer.baseAddress)
        precondition(isDone == 1, "SHA-256 does not fail")
    }
}
