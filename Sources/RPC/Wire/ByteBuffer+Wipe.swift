import Cryptography
import NIOCore

extension ByteBuffer {
    /// Overwrites what is readable with zeros, for all who share its memory: a plain write would make
    /// a copy first, where NIO or its pool still holds the buffer, and wipe that.
    func wipe() {
        withUnsafeReadableBytes { Cryptography.wipe($0) }
    }
}
