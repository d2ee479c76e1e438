import COpenSSL
import Synchronization

/// Signatures over SHA-256 hashes by one key that OpenSSL holds: ECDSA in DER, or RSA with PKCS #1
/// v1.5, as the key is.
///
/// Setting up a context of OpenSSL's looks its algorithms up by name under a lock, which costs a fifth
/// of what a P-256 signature does. So contexts are used again (EVP_PKEY_sign(3): "can be called more
/// than once on the same context").
// Unchecked: a complete EVP_PKEY is immutable and its count is atomic, so that any number of threads
// may sign and verify with it (EVP_PKEY_new(3), crypto(7)); a context is lent to one at a time.
final class HashSignatures: @unchecked Sendable {
    /// Contexts kept of each kind; who finds all of them in use sets up one more, and lets it go.
    private static let sparesMax = 4

    private let key: OpaquePointer
    private let signers = Mutex<[Context]>([])
    private let verifiers = Mutex<[Context]>([])

    /// By the key at `key`, whose owner this belongs to; each context holds a reference of its own.
    init(key: OpaquePointer) {
        self.key = key
    }

    /// The signature of a message.
    /// - Parameter bytesMax: the longest that the key can make.
    func sign(_ message: UnsafeRawBufferPointer, bytesMax: Int) throws -> [UInt8] {
        let hash = SHA256.hash(message)
        guard
            let context = signers.withLock({ $0.popLast() })
                ?? Context(key, set: EVP_PKEY_sign_init)
        else { throw CryptographyError.library("a context to sign with") }
        var signature = [UInt8](repeating: 0, count: bytesMax)
        var count = bytesMax
        guard EVP_PKEY_sign(context.pointer, &signature, &count, hash, hash.count) == 1 else {
            throw CryptographyError.library("a signature")
        }
        keep(context, in: signers)
        return Array(signature.prefix(count))
    }

    /// Whether `signature` is the key's over `message`; false for anything that is no signature.
    func verify(_ signature: [UInt8], of message: UnsafeRawBufferPointer) -> Bool {
        // A refused signature leaves its reasons on this thread's list.
        defer { ERR_clear_error() }
        let hash = SHA256.hash(message)
        guard
            let context = verifiers.withLock({ $0.popLast() })
                ?? Context(key, set: EVP_PKEY_verify_init)
        else { return false }
        let verdict = EVP_PKEY_verify(
            context.pointer, signature, signature.count, hash, hash.count)
        // Below zero something went wrong, and the context is not trusted further.
        if verdict >= 0 { keep(context, in: verifiers) }
        return verdict == 1
    }

    private func keep(_ context: Context, in spares: borrowing Mutex<[Context]>) {
        spares.withLock { spares in
            if spares.count < Self.sparesMax { spares.append(context) }
        }
    }
}

/// A context of OpenSSL's for one key, set to sign or to verify SHA-256 hashes.
// Unchecked: it is lent to one thread at a time.
private final class Context: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Nil where OpenSSL has none to give.
    init?(_ key: OpaquePointer, set: (OpaquePointer) -> Int32) {
        guard let pointer = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return nil }
        self.pointer = pointer
        // The padding that a context for RSA begins with is PKCS #1 v1.5.
        guard set(pointer) == 1, EVP_PKEY_CTX_set_signature_md(pointer, Algorithms.sha256) == 1
        else { return nil }
    }

    deinit { EVP_PKEY_CTX_free(pointer) }
}
