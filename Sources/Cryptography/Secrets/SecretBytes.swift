import COpenSSL
package import ServiceRuntime

/// Secret bytes: keys, passwords, application secrets.
///
/// They are overwritten when the last reference is released, compared in constant time, and cannot
/// be printed, interpolated, dumped or reflected by mistake. Only `withBytes` gives access.
public final class SecretBytes: @unchecked Sendable {
    // `@unchecked`: written only in `init`, before another thread can have a reference.
    private let storage: UnsafeMutableRawBufferPointer

    /// Allocates `count` zero bytes, which `fill` overwrites.
    /// - Throws: What `fill` throws. The storage is wiped then too.
    package init(count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows
    {
        storage = .allocate(byteCount: count, alignment: 16)
        storage.initializeMemory(as: UInt8.self, repeating: 0)
        try fill(storage)
    }

    /// No bytes.
    public static let empty = SecretBytes(count: 0) { _ in }

    /// A copy of a text, for example a password. The text itself is not wiped: read a secret from
    /// its source into bytes where that is possible.
    public convenience init(_ text: String) {
        self.init(copying: text.utf8)
    }

    /// A copy of borrowed memory, made in one piece. Wiping the original is its owner's task.
    package convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
    }

    /// A copy of `bytes`. Wiping the original is the caller's task.
    package convenience init(copying bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// Copies `bytes` and wipes the original.
    package convenience init(taking bytes: inout [UInt8]) {
        self.init(copying: bytes)
        wipe(&bytes)
    }

    /// `count` random bytes.
    package static func generate(count: Int, randomness: any Randomness) -> SecretBytes {
        SecretBytes(count: count) { randomness.fill($0) }
    }

    deinit {
        OPENSSL_cleanse(storage.baseAddress, storage.count)
        storage.deallocate()
    }

    /// The number of bytes, which is not a secret.
    package var count: Int { storage.count }
    /// Whether there are no bytes.
    package var isEmpty: Bool { storage.isEmpty }

    /// Lends the bytes to `body`, which must not copy them into memory that is not wiped.
    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(storage))
    }
}

extension SecretBytes: Equatable {
    /// Compares in constant time.
    public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.withBytes { left in right.withBytes { constantTimeEqual(left, $0) } }
    }
}

extension SecretBytes: Hashable {
    /// Hashes only the count: a hash of the bytes would reveal something about them.
    public func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Not the bytes.
    public var description: String { "<secret>" }
    /// Not the bytes.
    public var debugDescription: String { description }
    /// Not the bytes.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}

/// Whether two byte strings are equal, in a time that depends only on their lengths.
///
/// An ordinary `==` stops at the first difference, so that an attacker who measures response times
/// can guess a code or a MAC byte by byte. Lengths are considered public.
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

/// Overwrites borrowed memory with zeros, in a way that the optimiser cannot remove. For a buffer
/// with another owner, after its content has been used. All other users of the buffer then read
/// zeros.
package func wipe(_ memory: UnsafeRawBufferPointer) {
    OPENSSL_cleanse(UnsafeMutableRawPointer(mutating: memory.baseAddress), memory.count)
}

/// Overwrites `bytes` with zeros and empties the array, in a way that the optimiser cannot remove.
/// Reaches only this array's storage: a copy that shares it keeps its content.
package func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    bytes = []
}
