package import Messages
package import NIOCore

/// Writes frames directly into the outgoing buffer: the length first, then the envelope, then the
/// payload. Each byte is written once.
package enum FrameWriter {
    /// Writes any frame; used for all but the most frequent kinds.
    package static func write(
        _ kind: WireV1.Frame.Kind, to out: inout ByteBuffer
    ) {
        let frame = WireV1.Frame(kind: kind)
        let count = frame.encodedByteCount
        let total = FrameLimits.lengthBytes + count
        out.writeWithUnsafeMutableBytes(minimumWritableBytes: total) { buffer in
            var place = ByteWriter(buffer)
            place.writeLength(count)
            place.write(frame, byteCount: count)
            return total
        }
    }

    /// Writes an OK Response: `Frame {response: {call, payload}}`.
    /// - Returns: the number of bytes written; nil, with nothing written, when the frame would exceed
    ///   `frameBytesMax`.
    package static func writeResponse(
        call: UInt64, _ payload: some WireEncoded, to out: inout ByteBuffer, frameBytesMax: Int
    ) -> Int? {
        let payloadBytes = payload.encodedByteCount
        let payloadField = payloadBytes == 0 ? 0 : fieldBytes(payloadBytes)
        let inner = 1 + varintBytes(call) + payloadField
        let frame = fieldBytes(inner)
        guard frame <= frameBytesMax else { return nil }
        // Every response passes here, so its bytes are written in one block and not appended one by
        // one.
        let total = FrameLimits.lengthBytes + frame
        return out.writeWithUnsafeMutableBytes(minimumWritableBytes: total) { buffer in
            var place = ByteWriter(buffer)
            place.writeLength(frame)
            place.writeFieldHead(0x1a, inner)
            place.write(0x08)
            place.writeVarint(call)
            if payloadBytes > 0 {
                place.writeFieldHead(0x3a, payloadBytes)
                place.write(payload, byteCount: payloadBytes)
            }
            return total
        }
    }

    /// Writes a Request: `Frame {request: {call, method, timeout_ms, metadata, more, payload}}`.
    /// - Returns: false, with nothing written, when the frame would exceed `frameBytesMax`.
    package static func writeRequest(
        call: UInt64, _ request: OutgoingRequest, timeoutMilliseconds: UInt32,
        to out: inout ByteBuffer, frameBytesMax: Int
    ) -> Bool {
        let inner =
            1 + varintBytes(call) + fieldBytes(request.method.utf8.count) + 1
            + varintBytes(UInt64(timeoutMilliseconds)) + request.metadata.encodedBytes
            + (request.more ? 2 : 0)
            + (request.payload.isEmpty ? 0 : fieldBytes(request.payload.count))
        let frame = fieldBytes(inner)
        guard frame <= frameBytesMax else { return false }
        // In one block, like a response. A buffer that grows would also leave a copy of a secret in
        // freed memory.
        let total = FrameLimits.lengthBytes + frame
        out.writeWithUnsafeMutableBytes(minimumWritableBytes: total) { buffer in
            var place = ByteWriter(buffer)
            place.writeLength(frame)
            place.writeFieldHead(0x12, inner)
            place.write(0x08)
            place.writeVarint(call)
            place.writeField(0x12, request.method.utf8)
            place.write(0x18)
            place.writeVarint(UInt64(timeoutMilliseconds))
            for entry in request.metadata.entries {
                place.writeFieldHead(0x22, entry.encodedBytes)
                place.writeField(0x0a, entry.key.utf8)
                place.writeField(0x12, entry.value)
            }
            if request.more {
                place.write(0x28)
                place.write(0x01)
            }
            if !request.payload.isEmpty {
                request.payload.withBytes { place.writeField(0x32, $0) }
            }
            return total
        }
        return true
    }

    /// Size of a length-delimited field with a one-byte tag and `count` bytes of content.
    static func fieldBytes(_ count: Int) -> Int { 1 + varintBytes(UInt64(count)) + count }

    /// Size of `value` as a varint.
    static func varintBytes(_ value: UInt64) -> Int {
        (70 - (value | 1).leadingZeroBitCount) / 7
    }

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

        /// Writes a length-delimited field.
        mutating func writeField(_ tag: UInt8, _ bytes: some Collection<UInt8>) {
            let count = bytes.count
            writeFieldHead(tag, count)
            let place = UnsafeMutableRawBufferPointer(rebasing: buffer[position...])
            precondition(place.count >= count, "the frame was measured")
            place.copyBytes(from: bytes)
            position += count
        }

        /// Writes a payload of the size computed before, `byteCount`.
        mutating func write(_ payload: some WireEncoded, byteCount: Int) {
            let place = UnsafeMutableRawBufferPointer(rebasing: buffer[position...])
            precondition(place.count >= byteCount, "the frame was measured")
            if let start = place.baseAddress { payload.encode(to: start, byteCount: byteCount) }
            position += byteCount
        }
    }

    /// `Frame {item: {call, payload}}`; its size is computed before it is written.
    struct ItemFrame {
        /// Bytes of the frame, without the length prefix.
        let byteCount: Int
        private let call: UInt64
        private let payloadBytes: Int
        private let innerBytes: Int

        init(call: UInt64, payloadBytes: Int) {
            self.call = call
            self.payloadBytes = payloadBytes
            innerBytes =
                1 + FrameWriter.varintBytes(call)
                + (payloadBytes == 0 ? 0 : FrameWriter.fieldBytes(payloadBytes))
            byteCount = FrameWriter.fieldBytes(innerBytes)
        }

        /// Writes the frame with its length prefix. Every item passes here, so its bytes are
        /// written in one block and not appended one by one.
        func write(_ payload: some WireEncoded, to out: inout ByteBuffer) {
            let total = FrameLimits.lengthBytes + byteCount
            out.writeWithUnsafeMutableBytes(minimumWritableBytes: total) { buffer in
                var place = ByteWriter(buffer)
                place.writeLength(byteCount)
                place.writeFieldHead(0x22, innerBytes)
                place.write(0x08)
                place.writeVarint(call)
                if payloadBytes > 0 {
                    place.writeFieldHead(0x1a, payloadBytes)
                    place.write(payload, byteCount: payloadBytes)
                }
                return total
            }
        }
    }
}

extension ByteBuffer {
    mutating func writeVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            writeInteger(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        writeInteger(UInt8(truncatingIfNeeded: rest))
    }

    mutating func writeFieldHead(_ tag: UInt8, _ count: Int) {
        writeInteger(tag)
        writeVarint(UInt64(count))
    }
}

/// The frames of streams.
extension FrameWriter {
    /// Writes `Frame {item: {call, end: true}}`: the end of one side's items, without an item.
    static func writeEnd(call: UInt64, to out: inout ByteBuffer) {
        let inner = 1 + varintBytes(call) + 2
        out.writeInteger(UInt32(truncatingIfNeeded: fieldBytes(inner)))
        out.writeFieldHead(0x22, inner)
        out.writeInteger(UInt8(0x08))
        out.writeVarint(call)
        out.writeBytes([0x10, 0x01])
    }

    /// Writes `Frame {credit: {call, items}}`.
    static func writeCredit(call: UInt64, items: UInt32, to out: inout ByteBuffer) {
        let inner = 1 + varintBytes(call) + 1 + varintBytes(UInt64(items))
        out.writeInteger(UInt32(truncatingIfNeeded: fieldBytes(inner)))
        out.writeFieldHead(0x32, inner)
        out.writeInteger(UInt8(0x08))
        out.writeVarint(call)
        out.writeInteger(UInt8(0x10))
        out.writeVarint(UInt64(items))
    }
}
