package import Cryptography

/// Writes messages into memory of a given size, and never past its end: what does not fit is left
/// out, and `hasOverflowed` says so.
package struct WireWriter: WireSink {
    private let buffer: UnsafeMutableRawBufferPointer
    /// The number of bytes written.
    package private(set) var position = 0
    /// Whether the memory was too small for what was to be written.
    package private(set) var hasOverflowed = false

    /// Writes into `buffer`.
    package init(_ buffer: UnsafeMutableRawBufferPointer) {
        self.buffer = buffer
    }

    /// Whether what was written is the whole buffer.
    package var isFull: Bool { position == buffer.count && !hasOverflowed }

    private mutating func put(_ byte: UInt8) {
        guard position < buffer.count else {
            hasOverflowed = true
            return
        }
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
        guard bytes.count <= buffer.count - position else {
            hasOverflowed = true
            return
        }
        (place + position).copyMemory(from: start, byteCount: bytes.count)
        position += bytes.count
    }

    /// Writes bytes that are already encoded.
    package mutating func copy(_ bytes: [UInt8]) { bytes.withUnsafeBytes { put($0) } }

    /// Writes bytes that are already encoded.
    package mutating func copy(_ bytes: UnsafeRawBufferPointer) { put(bytes) }

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

    package mutating func message(_ tag: UInt32, _ value: some ProtobufMessage) {
        let start = begin(tag)
        value.encode(to: &self)
        end(start)
    }

    /// Writes a message as a field, unless it is empty.
    package mutating func payload(_ tag: UInt32, _ value: some WireEncoded) {
        let before = position
        let start = begin(tag)
        value.encode(to: &self)
        if position == start, !hasOverflowed { position = before } else { end(start) }
    }

    /// Begins a nested message of the fields that follow until `end`. Most are shorter than 128 bytes,
    /// so none is measured before: it is written behind one byte for its length, and moved if its
    /// length takes more.
    /// - Returns: where its content starts, for `end`.
    package mutating func begin(_ tag: UInt32) -> Int {
        varint(tag, 0)
        return position
    }

    /// Ends the nested message whose content starts at `start`.
    package mutating func end(_ start: Int) {
        let count = position - start
        if hasOverflowed { return }
        if count < 0x80 {
            buffer[start - 1] = UInt8(truncatingIfNeeded: count)
        } else {
            move(from: start, count)
        }
    }

    /// Makes place for a longer length before the `count` bytes written from `start`.
    private mutating func move(from start: Int, _ count: Int) {
        let moved = start - 1 + WireSize.ofVarint(UInt64(count))
        guard let place = buffer.baseAddress, count <= buffer.count - moved else {
            hasOverflowed = true
            return
        }
        (place + moved).copyMemory(from: place + start, byteCount: count)
        position = start - 1
        put(UInt64(count))
        position += count
    }

    package mutating func numbers(_ tag: UInt32, _ values: some Collection<UInt64>) {
        varint(tag, UInt64(values.reduce(0) { $0 + WireSize.ofVarint($1) }))
        for value in values { put(value) }
    }
}
