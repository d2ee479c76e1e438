import Messages
import NIOCore

/// An item's bytes: about to be packed where they go, or packed before.
enum ItemPayload {
    case packed(PackedMessage)
    case bytes([UInt8])

    var byteCount: Int {
        switch self {
        case .packed(let packed): packed.byteCount
        case .bytes(let bytes): bytes.count
        }
    }

    /// A copy that lives longer than the arena's message.
    var copy: [UInt8] {
        switch self {
        case .bytes(let bytes): bytes
        case .packed(let packed):
            [UInt8](unsafeUninitializedCapacity: packed.byteCount) { buffer, count in
                if let start = buffer.baseAddress { packed.write(to: start) }
                count = packed.byteCount
            }
        }
    }
}

/// The frames of streams.
extension FrameWriter {
    /// Bytes of the Item frame that carries `byteCount` of payload, without its length.
    static func itemBytes(call: UInt64, _ byteCount: Int) -> Int {
        fieldBytes(innerItemBytes(call, byteCount))
    }

    private static func innerItemBytes(_ call: UInt64, _ byteCount: Int) -> Int {
        1 + varintBytes(call) + (byteCount == 0 ? 0 : fieldBytes(byteCount))
    }

    /// Writes `Frame {item: {call, payload}}`.
    static func writeItem(call: UInt64, _ payload: ItemPayload, to out: inout ByteBuffer) {
        let byteCount = payload.byteCount
        let inner = innerItemBytes(call, byteCount)
        let frame = fieldBytes(inner)
        let total = FrameLimits.lengthBytes + frame
        out.writeWithUnsafeMutableBytes(minimumWritableBytes: total) { buffer in
            var place = ByteWriter(buffer)
            place.writeLength(frame)
            place.writeFieldHead(0x22, inner)
            place.write(0x08)
            place.writeVarint(call)
            if byteCount > 0 {
                place.writeFieldHead(0x1a, byteCount)
                switch payload {
                case .packed(let packed): place.write(packed)
                case .bytes(let bytes): place.write(bytes)
                }
            }
            return total
        }
    }

    /// Writes `Frame {item: {call, end: true}}`: the last word of a side, and no item.
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
