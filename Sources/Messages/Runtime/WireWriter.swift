package import Cryptography

/// Writes a message into memory of the size computed before. The same code computes and writes,
/// from an immutable value; nevertheless it never writes past the end.
package struct WireWriter: WireSink {
    private let buffer: UnsafeMutableRawBufferPointer
    private var position = 0

    /// Writes into `buffer`.
    package init(_ buffer: UnsafeMutableRawBufferPointer) {
        self.buffer = buffer
    }

    /// Whether the whole buffer has been written.
    package var isFull: Bool { position == buffer.count }

    private mutating func put(_ byte: UInt8) {
        precondition(position < buffer.count, "a message was measured too small")
        buffer[position] = byte
        position += 1
    }

    /// Nearly all tags and lengths are one byte.
    @inline(__always)
    private mutating func put(_ value: UInt64) {
        if value < 0x80 { put(UInt8(truncatingIfNeeded: value)) } else { putLong(value) }
    }

    private mutating func putLong(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            put(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        put(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, let place = buffer.baseAddress else { return }
        precondition(
            bytes.count <= buffer.count - position, "a message was measured too small")
        (place + position).copyMemory(from: start, byteCount: bytes.count)
        position += bytes.count
    }

    /// Writes bytes that are already encoded.
    package mutating func copy(_ bytes: [UInt8]) { bytes.withUnsafeBytes { put($0) } }

    package mutating func varint(_ tag: UInt32, _ value: UInt64) {
        put(UInt64(tag))
        put(value)
    }

    package mutating func text(_ tag: UInt32, _ value: String) {
        varint(tag, UInt64(value.utf8.count))
        value.utf8.span.withUnsafeBytes { put($0) }
    }

    package mutating func secret(_ tag: UInt32, _ value: SecretBytes) {
        varint(tag, UInt64(value.count))
        value.withBytes { put($0) }
    }

    package mutating func bytes(_ tag: UInt32, _ value: [UInt8]) {
        varint(tag, UInt64(value.count))
        value.withUnsafeBytes { put($0) }
    }

    /// Most nested messages are shorter than 128 bytes. So they are not measured again: the message
    /// is written behind one byte for its length, and moved if its length takes more.
    package mutating func message(_ tag: UInt32, _ value: some ProtobufMessage) {
        varint(tag, 0)
        let start = position
        value.encode(to: &self)
        let count = position - start
        if count < 0x80 {
            buffer[start - 1] = UInt8(truncatingIfNeeded: count)
        } else {
            move(from: start, count)
        }
    }

    /// Makes place for a longer length before the `count` bytes written from `start`.
    private mutating func move(from start: Int, _ count: Int) {
        guard let place = buffer.baseAddress else { return }
        let bytes = place + start
        position = start - 1
        let moved = position + WireSize.ofVarint(UInt64(count))
        precondition(count <= buffer.count - moved, "a message was measured too small")
        (place + moved).copyMemory(from: bytes, byteCount: count)
        put(UInt64(count))
        position += count
    }

    package mutating func numbers(_ tag: UInt32, _ values: some Collection<UInt64>) {
        varint(tag, UInt64(values.reduce(0) { $0 + WireSize.ofVarint($1) }))
        for value in values { put(value) }
    }
}
