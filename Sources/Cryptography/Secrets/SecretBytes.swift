import COpenSSL
package import ServiceRuntime

/// Bytes that must not be seen: keys, passwords, application secrets.
///
/// They are wiped when the last reference goes, compared in constant time, and cannot be printed,
/// interpolated, dumped or reflected upon by mistake. They are read only through `withBytes`.
// Unchecked: the storage is written in `init` alone, before anyone else can hold the object.
package final class SecretBytes: @unchecked Sendable {
    private let storage: UnsafeMutableRawBufferPointer

    /// `count` bytes that `fill` writes. They are zero before.
    /// - Throws: What `fill` throws; the storage is wiped then too.
    package init(count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows
    {
        storage = .allocate(byteCount: count, alignment: 16)
        storage.initializeMemory(as: UInt8.self, repeating: 0)
        try fill(storage)
    }

    /// None.
    package static let empty = SecretBytes(count: 0) { _ in }

    /// A copy of lent memory, made in one piece; the original is its owner's to wipe.
    package convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
    }

    /// A copy of `bytes`; the original is the caller's to wipe.
    package convenience init(copying bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// Takes over `bytes` and wipes them where they were.
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

    /// How many bytes there are; this is not a secret.
    package var count: Int { storage.count }
    /// Whether there are none.
    package var isEmpty: Bool { storage.isEmpty }

    /// Lends the bytes for the time of `body`, which must not copy them into anything that lives
    /// on unwiped.
    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(storage))
    }
}

extension SecretBytes: Equatable {
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.withBytes { left in right.withBytes { constantTimeEqual(left, $0) } }
    }
}

extension SecretBytes: Hashable {
    /// By the count alone: a hash of the bytes would be a trace of them.
    package func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<secret>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
