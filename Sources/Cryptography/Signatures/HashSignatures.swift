import COpenSSL
import Synchronization

/// Signatures over SHA-256 hashes by one key in OpenSSL's memory: ECDSA in DER or RSA with PKCS #1
/// v1.5, depending on the key.
///
/// Creating an OpenSSL context looks up its algorithms by name under a lock, which costs a fifth of
/// a P-256 signature. So contexts are reused (EVP_PKEY_sign(3): "can be called more than once on
/// the same context").
// Unchecked: a complete EVP_PKEY is immutable and its reference count is atomic, so that any number
// of threads may sign and verify with it (EVP_PKEY_new(3), crypto(7)). A context is used by one
// thread at a time.
final class HashSignatures: @unchecked Sendable {
    /// The number of idle contexts of each kind. When all are in use, a further one is created
    /// and then freed.
    private static let sparesMax = 4

    /// The key in OpenSSL's memory.
    let key: OpaquePointer
    private let signers = Mutex<[Context]>([])
    private let verifiers = Mutex<[Context]>([])

    /// Takes ownership of one reference to `key`. Each context has a reference of its own.
    init(taking key: OpaquePointer) {
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Signs a message.
    /// - Parameter bytesMax: The size of the key's largest signature.
    /// - Throws: `CryptographyError`.
    func sign(_ message: UnsafeRawBufferPointer, bytesMax: Int) throws -> [UInt8] {
        let hash = SHA256.hash(message)
        guard
            let context = signers.withLock({ $0.popLast() })
                ?? Context(key, set: EVP_PKEY_sign_init)
        else { throw CryptographyError.library("signing context") }
        var signature = [UInt8](repeating: 0, count: bytesMax)
        var count = bytesMax
        guard EVP_PKEY_sign(context.pointer, &signature, &count, hash, hash.count) == 1 else {
            throw CryptographyError.library("sign")
        }
        reuse(context, in: signers)
        return Array(signature.prefix(count))
    }

    /// Whether `signature` is a valid signature of `message` by the key.
    func verify(_ signature: [UInt8], of message: UnsafeRawBufferPointer) -> Bool {
        // A rejected signature leaves errors in this thread's error queue.
        defer { ERR_clear_error() }
        let hash = SHA256.hash(message)
        guard
            let context = verifiers.withLock({ $0.popLast() })
                ?? Context(key, set: EVP_PKEY_verify_init)
        else { return false }
        let verdict = EVP_PKEY_verify(
            context.pointer, signature, signature.count, hash, hash.count)
        // A negative result is an internal error, after which the context is not reused.
        if verdict >= 0 { reuse(context, in: verifiers) }
        return verdict == 1
    }

    private func reuse(_ context: Context, in spares: borrowing Mutex<[Context]>) {
        spares.withLock { spares in
            if spares.count < Self.sparesMax { spares.append(context) }
        }
    }

    /// An OpenSSL context for one key, initialised to sign or to verify SHA-256 hashes.
    // Unchecked: only one thread uses it at a time.
    private final class Context: @unchecked Sendable {
        let pointer: OpaquePointer

        /// Nil where OpenSSL cannot create a context.
        init?(_ key: OpaquePointer, set: (OpaquePointer) -> Int32) {
            guard let pointer = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return nil }
            self.pointer = pointer
            // The default padding of a context for RSA is PKCS #1 v1.5.
            guard set(pointer) == 1, EVP_PKEY_CTX_set_signature_md(pointer, Algorithms.sha256) == 1
            else { return nil }
        }

        deinit { EVP_PKEY_CTX_free(pointer) }
    }
}
