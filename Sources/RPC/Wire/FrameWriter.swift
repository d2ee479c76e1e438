package import Messages
package import NIOCore

/// Writes frames directly into the outgoing buffer: four bytes of length, then the envelope with the
/// payload.
package enum FrameWriter {
    /// Bytes of a frame besides its texts and its payload, at most: lengths, tags and numbers.
    private static let headBytesMax = 64

    /// Writes any frame; used for all but the most frequent kinds.
    package static func write(_ kind: WireV1.Frame.Kind, to out: inout ByteBuffer) {
        let frame = WireV1.Frame(kind: kind)
        _ = append(to: &out, content: frame.encodedByteCount) { frame.write(to: &$0) }
    }

    /// Writes an OK Response: `Frame {response: {call, payload}}`.
    /// - Returns: the number of bytes written; nil, with nothing written, when the frame would exceed
    ///   `frameBytesMax`.
    package static func writeResponse(
        call: UInt64, _ payload: some WireEncoded, to out: inout ByteBuffer, frameBytesMax: Int
    ) -> Int? {
        append(
            to: &out, frameBytesMax: frameBytesMax, content: payload.encodedByteCount
        ) { writer in
            let response = writer.begin(0x1a)
            writer.varint(0x08, call)
            writer.payload(0x3a, payload)
            writer.end(response)
        }
    }

    /// Writes a Request: `Frame {request: {call, method, timeout_ms, metadata, more, payload}}`.
    /// - Returns: false, with nothing written, when the frame would exceed `frameBytesMax`.
    package static func writeRequest(
        call: UInt64, _ request: OutgoingRequest, timeoutMilliseconds: UInt32,
        to out: inout ByteBuffer, frameBytesMax: Int
    ) -> Bool {
        append(
            to: &out, frameBytesMax: frameBytesMax,
            content: request.method.utf8.count + request.metadata.encodedBytesMax
                + request.payload.count
        ) { writer in
            let start = writer.begin(0x12)
            writer.varint(0x08, call)
            writer.text(0x12, request.method)
            writer.varint(0x18, UInt64(timeoutMilliseconds))
            for entry in request.metadata.entries {
                let field = writer.begin(0x22)
                writer.text(0x0a, entry.key)
                writer.bytes(0x12, entry.value)
                writer.end(field)
            }
            if request.more { writer.varint(0x28, 1) }
            request.payload.write(0x32, to: &writer)
            writer.end(start)
        } != nil
    }

    /// Appends a frame of what `body` writes. Nearly every frame fits into the free memory of `out`,
    /// so it is measured only if it does not.
    /// - Parameter content: bytes of its texts and its payload.
    /// - Returns: the number of bytes written; nil, with nothing written, when the frame would exceed
    ///   `frameBytesMax`.
    @inline(__always)
    private static func append(
        to out: inout ByteBuffer, frameBytesMax: Int = .max,
        content: @autoclosure () -> Int, _ body: (inout WireWriter) -> Void
    ) -> Int? {
        var count = attempt(&out, room: 0, frameBytesMax, body)
        if count == 0 {
            let room = headBytesMax + min(content(), frameBytesMax)
            count = attempt(&out, room: room, frameBytesMax, body)
        }
        return count == 0 ? nil : count
    }

    /// Appends a frame if it fits.
    /// - Parameter room: free memory to make before.
    /// - Returns: the number of bytes written; 0 if the free memory or the limit does not suffice.
    @inline(__always)
    private static func attempt(
        _ out: inout ByteBuffer, room: Int, _ frameBytesMax: Int,
        _ body: (inout WireWriter) -> Void
    ) -> Int {
        out.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { buffer in
            let lengthBytes = FrameLimits.lengthBytes
            guard let start = buffer.baseAddress, buffer.count > lengthBytes else { return 0 }
            var writer = WireWriter(
                UnsafeMutableRawBufferPointer(
                    start: start + lengthBytes, count: buffer.count - lengthBytes))
            body(&writer)
            guard !writer.hasOverflowed, writer.position <= frameBytesMax else { return 0 }
            let length = UInt32(truncatingIfNeeded: writer.position).bigEndian
            start.storeBytes(of: length, as: UInt32.self)
            return lengthBytes + writer.position
        }
    }
}

// MARK: Streams

extension FrameWriter {
    /// The size of `Frame {item: {call, payload}}` without its length in front.
    static func itemBytes(call: UInt64, payloadBytes: Int) -> Int {
        let payload = payloadBytes == 0 ? 0 : fieldBytes(payloadBytes)
        return fieldBytes(1 + WireSize.ofVarint(call) + payload)
    }

    /// Size of a length-delimited field with a one-byte tag and `count` bytes of content.
    private static func fieldBytes(_ count: Int) -> Int {
        1 + WireSize.ofVarint(UInt64(count)) + count
    }

    /// Writes `Frame {item: {call, payload}}`, of `itemBytes`.
    static func writeItem(
        call: UInt64, _ payload: some WireEncoded, to out: inout ByteBuffer, byteCount: Int
    ) {
        _ = append(to: &out, content: byteCount) { writer in
            let item = writer.begin(0x22)
            writer.varint(0x08, call)
            writer.payload(0x1a, payload)
            writer.end(item)
        }
    }

    /// Writes `Frame {item: {call, end: true}}`: the end of one side's items, without an item.
    static func writeEnd(call: UInt64, to out: inout ByteBuffer) {
        _ = append(to: &out, content: 0) { writer in
            let item = writer.begin(0x22)
            writer.varint(0x08, call)
            writer.varint(0x10, 1)
            writer.end(item)
        }
    }

    /// Writes `Frame {credit: {call, items}}`.
    static func writeCredit(call: UInt64, items: UInt32, to out: inout ByteBuffer) {
        _ = append(to: &out, content: 0) { writer in
            let credit = writer.begin(0x32)
            writer.varint(0x08, call)
            writer.varint(0x10, UInt64(items))
            writer.end(credit)
        }
    }
}
