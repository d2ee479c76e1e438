import COpenSSL

/// An HMAC-SHA-256 computation of OpenSSL with its key set, to be used again and again.
// Unchecked: one owner, not copyable, and OpenSSL ties no context to a thread.
struct HMACContext: ~Copyable, @unchecked Sendable {
    private let context: OpaquePointer

    init(key: SecretBytes) {
        // Memory is all that can fail here.
        guard let context = EVP_MAC_CTX_new(Algorithms.hmac), Self.set(key, in: context) else {
            preconditionFailure("no memory for an HMAC context")
        }
        self.context = context
    }

    deinit { EVP_MAC_CTX_free(context) }

    /// Writes the hash of `message`, `KeyedHash.byteCount` bytes, to `buffer`.
    mutating func hash(
        _ message: UnsafeRawBufferPointer, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) {
        // A null key begins a new message under the key that is set (EVP_MAC_init(3)).
        let isDone =
            EVP_MAC_init(context, nil, 0, nil) == 1
            && EVP_MAC_update(context, message.baseAddress, message.count) == 1
            && EVP_MAC_final(context, buffer.baseAddress, nil, buffer.count) == 1
        precondition(isDone, "HMAC does not fail once its key is set")
    }

    private static func set(_ key: SecretBytes, in context: OpaquePointer) -> Bool {
        key.withBytes { copenssl_hmac_sha256_init(context, $0.baseAddress, $0.count) == 1 }
    }
}
