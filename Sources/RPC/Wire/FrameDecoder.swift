package import NIOCore

/// Cuts the incoming bytes into frames: four bytes of length, unsigned and big-endian, then that
/// many bytes. The limit is checked on the length alone, before any of the frame is kept, so a
/// header that promises 4 GiB costs nothing.
package struct FrameDecoder {
    /// What stands at the front of the bytes received so far.
    package enum Step: Equatable {
        /// A whole frame, at this range of the readable bytes.
        case frame(Range<Int>)
        /// The frame has begun but not ended, or has not begun.
        case incomplete
        /// A frame of length 0.
        case empty
        /// A frame over the limit.
        case tooLarge
    }

    /// What was kept of a begun frame, in memory of our own. What it was copied from is wiped: it
    /// may be a part of a password, and no one knows before the frame is whole.
    private var pending: ByteBuffer?
    /// The bytes that `take` gave last are in memory of our own.
    private var isJoined = false

    /// A decoder that has seen nothing.
    package init() {}

    /// Whether a frame has begun and is not yet whole.
    package var isMidFrame: Bool { (pending?.readableBytes ?? 0) > 0 }

    /// What the socket gave, behind what was kept of a begun frame.
    package mutating func take(_ incoming: ByteBuffer) -> ByteBuffer {
        isJoined = pending != nil
        guard var kept = pending else { return incoming }
        pending = nil
        if kept.writableBytes < incoming.readableBytes {
            kept = Self.moved(
                kept, capacity: kept.readableBytes + max(kept.readableBytes, incoming.readableBytes)
            )
        }
        kept.writeImmutableBuffer(incoming)
        incoming.wipe()
        return kept
    }

    /// Lends each whole frame of `buffer` to `body`, in order, until `body` says to stop or
    /// something is wrong. The decoder itself is free meanwhile, and the limit, asked for before
    /// each frame, may change: the Hello raises it.
    /// - Returns: the bytes used up, and the violation that ended the reading, if one did.
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

    /// Keeps what is left of `buffer` behind the first `consumed` bytes.
    package mutating func keep(_ buffer: ByteBuffer, from consumed: Int) {
        guard buffer.readableBytes > consumed else { return }
        if isJoined, consumed == 0 {
            pending = buffer  // a long frame that comes in many pieces
            return
        }
        var rest = buffer
        rest.moveReaderIndex(forwardBy: consumed)
        pending = Self.moved(rest, capacity: rest.readableBytes)
    }

    /// Wipes and drops what was kept of a begun frame: its connection has ended.
    package mutating func discard() {
        pending?.wipe()
        pending = nil
    }

    /// The readable bytes in memory of their own; where they were is wiped.
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
