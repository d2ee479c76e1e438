import Cryptography
import NIOCore

extension ByteBuffer {
    /// Overwrites the readable bytes with zeros, for all owners of the memory. A plain write would
    /// copy the memory first if NIO or its pool still holds the buffer, and would wipe only the
    /// copy.
    func wipe() {
        withUnsafeReadableBytes { Cryptography.wipe($0) }
    }
}
