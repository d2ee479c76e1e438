import Cryptography
package import NIOCore

/// Splits the incoming bytes into frames: four bytes of length, unsigned and big-endian, then that
/// many bytes. The limit is checked when only the length has arrived, so a header that announces 4
/// GiB allocates nothing.
package struct FrameDecoder {
    /// The result of looking at the first bytes received.
    package enum Step: Equatable {
        /// A complete frame, at this range of the readable bytes.
        case frame(Range<Int>)
        /// A partial frame, or no bytes.
        case incomplete
        /// A frame of length 0.
        case empty
        /// A frame over the limit.
        case tooLarge
    }

    /// The bytes of a partial frame, in the decoder's own memory. The memory that they were copied
    /// from is wiped: they may be part of a password, which can be known only when the frame is
    /// complete.
    private var pending: ByteBuffer?
    /// Whether the buffer that `take` last returned is the decoder's own memory.
    private var isJoined = false

    /// A decoder without pending bytes.
    package init() {}

    /// Whether a partial frame is pending.
    package var isMidFrame: Bool { (pending?.readableBytes ?? 0) > 0 }

    /// Appends bytes from the socket to the pending partial frame, and returns all of them.
    package mutating func take(_ incoming: ByteBuffer) -> ByteBuffer {
        isJoined = pending != nil
        guard var stored = pending else { return incoming }
        pending = nil
        if stored.writableBytes < incoming.readableBytes {
            stored = Self.moved(
                stored,
                capacity: stored.readableBytes + max(stored.readableBytes, incoming.readableBytes)
            )
        }
        stored.writeImmutableBuffer(incoming)
        incoming.wipe()
        return stored
    }

    /// Calls `body` with each complete frame of `buffer`, in order, until `body` returns false or a
    /// violation is found. The method is static, so the decoder is not borrowed meanwhile. The
    /// limit is read before each frame, because the Hello raises it.
    /// - Returns: the bytes consumed, and the violation that ended reading, if there was one.
    package static func forEachFrame(
        in buffer: ByteBuffer, frameBytesMax: () -> Int,
        _ body: (UnsafeRawBufferPointer, Range<Int>) -> Bool
    ) -> (consumed: Int, violation: Step?) {
        buffer.withUnsafeReadableBytes { bytes in
            var position = 0
            while true {
                let step = step(bytes, at: position, frameBytesMax: frameBytesMax())
                guard case .frame(let range) = step else {
                    return (position, step == .incomplete ? nil : step)
                }
                position = range.upperBound
                guard body(bytes, range) else { return (position, nil) }
            }
        }
    }

    /// Keeps the bytes of `buffer` after the first `consumed` bytes.
    package mutating func store(_ buffer: ByteBuffer, from consumed: Int) {
        guard buffer.readableBytes > consumed else { return }
        if isJoined, consumed == 0 {
            pending = buffer  // a long frame that arrives in many pieces
            return
        }
        var rest = buffer
        rest.moveReaderIndex(forwardBy: consumed)
        pending = Self.moved(rest, capacity: rest.readableBytes)
    }

    /// Wipes and drops the pending partial frame, because the connection has ended.
    package mutating func discard() {
        pending?.wipe()
        pending = nil
    }

    /// Copies the readable bytes into new memory and wipes the old memory.
    private static func moved(_ buffer: ByteBuffer, capacity: Int) -> ByteBuffer {
        var moved = ByteBufferAllocator().buffer(capacity: capacity)
        moved.writeImmutableBuffer(buffer)
        buffer.wipe()
        return moved
    }

    static func step(
        _ bytes: UnsafeRawBufferPointer, at position: Int, frameBytesMax: Int
    ) -> Step {
        let available = bytes.count - position
        guard available >= FrameLimits.lengthBytes else { return .incomplete }
        let raw = bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)
        let length = Int(UInt32(bigEndian: raw))
        if length == 0 { return .empty }
        if length > frameBytesMax { return .tooLarge }
        let start = position + FrameLimits.lengthBytes
        guard bytes.count - start >= length else { return .incomplete }
        return .frame(start..<start + length)
    }
}

extension ByteBuffer {
    /// Overwrites the readable bytes with zeros, for all owners of the memory. A plain write would
    /// copy the memory first if NIO or its pool still holds the buffer, and would wipe only the
    /// copy.
    func wipe() {
        withUnsafeReadableBytes { Cryptography.wipe($0) }
    }
}
