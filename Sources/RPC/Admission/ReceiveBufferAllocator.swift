package import NIOCore

/// Allocates receive buffers: as large as recent reads needed, and freed after each read.
///
/// NIO's own allocators keep up to four buffers per connection, each as large as its largest read:
/// a connection that was once busy held 230 KiB while idle. NIO keeps a buffer only if it asks for
/// its size or learns that the next one is no larger, and always at least one; so the first buffer
/// is small. With one read per event loop iteration (`maxMessagesPerRead`) it keeps no others.
package struct ReceiveBufferAllocator: RecvByteBufferAllocator {
    /// Smallest buffer, in bytes: fits a few calls, and malloc serves this size from its cache.
    static let bytesMin = 1_024
    /// Largest buffer, in bytes: some two hundred small calls in one read.
    static let bytesMax = 65_536

    private(set) var bytes = Self.bytesMin
    private var smallReads: UInt8 = 0

    /// The allocator of a new connection.
    package init() {}

    /// A buffer for the next read.
    package func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        allocator.buffer(capacity: bytes)
    }

    /// Doubles the size when a buffer was filled; halves it when two in a row were at most half
    /// full.
    /// - Returns: true, so that the buffer is not retained.
    package mutating func record(actualReadBytes: Int) -> Bool {
        if actualReadBytes >= bytes {
            bytes = min(bytes * 2, Self.bytesMax)
            smallReads = 0
        } else if actualReadBytes <= bytes / 2 {
            smallReads += 1
            if smallReads == 2 {
                bytes = max(bytes / 2, Self.bytesMin)
                smallReads = 0
            }
        } else {
            smallReads = 0
        }
        return true
    }
}
