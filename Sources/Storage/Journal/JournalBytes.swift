/// Bytes to be written, growing as they are appended; kept from one batch to the next.
///
/// A type of its own, since appending to an array a few bytes at a time costs more than what is
/// written here.
package struct JournalBytes: ~Copyable {
    private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
    /// How many there are.
    package private(set) var count = 0

    /// No bytes.
    package init() {}

    deinit { bytes.deallocate() }

    /// Room for `size` bytes more, which count as written; a multiple of 8.
    package mutating func append(_ size: Int) -> UnsafeMutableRawBufferPointer {
        if count + size > bytes.count { grow(to: max(count + size, bytes.count * 2)) }
        defer { count += size }
        return UnsafeMutableRawBufferPointer(rebasing: bytes[count..<count + size])
    }

    /// What was written.
    package var written: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }

    /// Forgets what was written after the first `length` bytes.
    package mutating func cut(to length: Int) { count = min(count, length) }

    private mutating func grow(to size: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 8)
        larger.copyMemory(from: written)
        bytes.deallocate()
        bytes = larger
    }
}
