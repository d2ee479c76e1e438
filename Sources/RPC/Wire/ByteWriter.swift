import Messages

/// Writes into memory whose size was computed before; used for the most frequent frames.
struct ByteWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    private var position = 0

    init(_ buffer: UnsafeMutableRawBufferPointer) {
        self.buffer = buffer
    }

    mutating func write(_ byte: UInt8) {
        buffer[position] = byte
        position += 1
    }

    /// Writes a frame's length: four bytes, big-endian.
    mutating func writeLength(_ count: Int) {
        let length = UInt32(truncatingIfNeeded: count).bigEndian
        buffer.storeBytes(of: length, toByteOffset: position, as: UInt32.self)
        position += FrameLimits.lengthBytes
    }

    mutating func writeVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            write(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        write(UInt8(truncatingIfNeeded: rest))
    }

    mutating func writeFieldHead(_ tag: UInt8, _ count: Int) {
        write(tag)
        writeVarint(UInt64(count))
    }

    /// Writes a payload of the size computed before, `byteCount`.
    mutating func write(_ payload: some WireEncoded, byteCount: Int) {
        let place = UnsafeMutableRawBufferPointer(rebasing: buffer[position...])
        precondition(place.count >= byteCount, "the frame was measured")
        if let start = place.baseAddress { payload.encode(to: start, byteCount: byteCount) }
        position += byteCount
    }
}
