import Cryptography
import NIOCore

/// Bytes of bodies, which may have passwords. What frees memory leaves its content, so each handler
/// that keeps bytes has them in memory of its own and wipes that from which they came.
extension ByteBuffer {
    /// Overwrites the readable bytes with zeros, for all owners of the memory.
    func wipe() { withUnsafeReadableBytes { Cryptography.wipe($0) } }

    /// The readable bytes in new memory. The memory that they came from is wiped.
    func moved() -> ByteBuffer { moved(capacity: readableBytes) }

    private func moved(capacity: Int) -> ByteBuffer {
        var moved = ByteBufferAllocator().buffer(capacity: capacity)
        moved.writeImmutableBuffer(self)
        wipe()
        return moved
    }

    /// Appends a part. The memory that it came from, and that which this buffer has outgrown, are
    /// wiped: a buffer that grows by itself leaves its content behind.
    mutating func append(moving part: ByteBuffer) {
        guard readableBytes > 0 else {
            self = part
            return
        }
        if writableBytes < part.readableBytes {
            self = moved(capacity: readableBytes + max(readableBytes, part.readableBytes))
        }
        writeImmutableBuffer(part)
        part.wipe()
    }
}
