/// A growing byte buffer for the journal, reused from one batch to the next.
///
/// It is a type of its own because appending a few bytes at a time to an array costs more than the
/// writing itself.
package struct JournalBytes: ~Copyable {
    private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
    /// Number of bytes written.
    package private(set) var count = 0

    /// An empty buffer.
    package init() {}

    deinit { bytes.deallocate() }

    /// Appends `size` uninitialised bytes, a multiple of 8, and returns them for the caller to
    /// fill.
    package mutating func append(_ size: Int) -> UnsafeMutableRawBufferPointer {
        if count + size > bytes.count { grow(to: max(count + size, bytes.count * 2)) }
        defer { count += size }
        return UnsafeMutableRawBufferPointer(rebasing: bytes[count..<count + size])
    }

    /// The bytes written so far.
    package var written: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }

    /// Drops everything after the first `length` bytes.
    package mutating func cut(to length: Int) { count = min(count, length) }

    private mutating func grow(to size: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        larger.copyMemory(from: written)
        bytes.deallocate()
        bytes = larger
    }
}
