import NIOCore

/// Memory for what a socket gives: as much as of late was needed, and given back after each read.
///
/// NIO's own allocators keep up to four buffers for each connection, each as large as its largest
/// read: a connection that was busy once held 230 KiB for the rest of its idle life. NIO keeps a
/// buffer only if asked for its size or told that the next is no larger, and one at least, so the
/// first is small; with one read a turn (`maxMessagesPerRead`) it keeps no others.
struct ReceiveBufferAllocator: RecvByteBufferAllocator {
    /// Bytes of the smallest buffer: a few calls, and of a size that malloc serves from its cache.
    static let bytesMin = 1_024
    /// Bytes of the largest: some two hundred small calls a read.
    static let bytesMax = 65_536

    private(set) var bytes = Self.bytesMin
    private var smallReads: UInt8 = 0

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        allocator.buffer(capacity: bytes)
    }

    /// Doubles when a buffer was filled; halves when two in a row were not half full.
    /// - Returns: true, so that the buffer is not kept.
    mutating func record(actualReadBytes: Int) -> Bool {
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
