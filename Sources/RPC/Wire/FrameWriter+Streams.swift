import Messages
import NIOCore

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

    /// Writes the frame with its length prefix. Every item passes here, so its bytes are written in
    /// one block and not appended one by one.
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
