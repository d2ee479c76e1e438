/// Reads the fields of one protobuf message in place, without copying. It implements only the part
/// of the wire format that the envelope needs (https://protobuf.dev/programming-guides/encoding/).
///
/// It agrees with libprotobuf-c on which input is malformed; `EnvelopeAgreementTests` fuzzes both
/// against each other. Every index is checked, since a trap would end the whole process.
struct WireReader {
    /// One field: its number and value.
    enum Field {
        case varint(UInt32, UInt64)
        case bytes(UInt32, Range<Int>)
        /// Eight or four bytes; the envelope has no such field.
        case fixed(UInt32)
    }

    private let bytes: UnsafeRawBufferPointer
    private var position: Int
    private let end: Int

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    /// The next field, or nil at the end of the message.
    /// - Throws: `WireViolation.malformed`.
    mutating func next() throws(WireViolation) -> Field? {
        guard position < end else { return nil }
        // As in libprotobuf-c: at most five bytes, and field number 0 is rejected in a one-byte
        // tag.
        guard bytes[position] & 0xf8 != 0 else { throw .malformed }
        let tag = try varint(bytesMax: 5)
        let number = UInt32(truncatingIfNeeded: tag >> 3)
        switch tag & 7 {
        case 0: return .varint(number, try varint())
        case 1: return try fixed(number, 8)
        case 2: return .bytes(number, try lengthDelimited())
        case 5: return try fixed(number, 4)
        default: throw .malformed
        }
    }

    private mutating func varint(bytesMax: UInt64 = 10) throws(WireViolation) -> UInt64 {
        guard position < end else { throw .malformed }
        let first = bytes[position]
        position += 1
        if first < 0x80 { return UInt64(first) }
        return try longVarint(first, bytesMax)
    }

    private mutating func longVarint(
        _ first: UInt8, _ bytesMax: UInt64
    ) throws(WireViolation) -> UInt64 {
        var value = UInt64(first & 0x7f)
        var shift: UInt64 = 7
        while position < end, shift < 7 * bytesMax {
            let byte = bytes[position]
            position += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .malformed
    }

    private mutating func lengthDelimited() throws(WireViolation) -> Range<Int> {
        let length = try varint(bytesMax: 5)
        guard length <= UInt64(end - position) else { throw .malformed }
        let start = position
        position += Int(length)
        return start..<position
    }

    private mutating func fixed(_ number: UInt32, _ count: Int) throws(WireViolation) -> Field {
        guard end - position >= count else { throw .malformed }
        position += count
        return .fixed(number)
    }
}

/// The envelope does not conform to `wire.proto`.
package enum WireViolation: Error, Hashable {
    /// Not a protobuf message, or a field of the wrong type.
    case malformed
}
