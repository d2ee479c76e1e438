/// Reads the fields of one protobuf message in place, without copying. It implements only the part
/// of the wire format that the envelope needs (https://protobuf.dev/programming-guides/encoding/).
///
/// It agrees with libprotobuf-c on which input is malformed; `EnvelopeAgreementTests` fuzzes both
/// against each other. Every index is checked, since a trap would end the whole process.
///
/// A field begins with its tag, `number << 3 | wire type`; the wire type is 0 for a number and 2 for
/// bytes with their length.
struct WireReader {
    private let bytes: UnsafeRawBufferPointer
    private var position: Int
    private let end: Int

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    /// The tag of the next field, whose value must be read or skipped; nil at the end of the message.
    /// - Throws: `WireViolation.malformed`.
    mutating func tag() throws(WireViolation) -> UInt64? {
        guard position < end else { return nil }
        // As in libprotobuf-c: at most five bytes, and field number 0 is rejected in a one-byte
        // tag.
        guard bytes[position] & 0xf8 != 0 else { throw .malformed }
        return try varint(bytesMax: 5)
    }

    /// A number.
    /// - Throws: `WireViolation.malformed`.
    mutating func varint(bytesMax: UInt64 = 10) throws(WireViolation) -> UInt64 {
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

    /// The place of a field's bytes, after their length.
    /// - Throws: `WireViolation.malformed`.
    mutating func range() throws(WireViolation) -> Range<Int> {
        let length = try varint(bytesMax: 5)
        guard length <= UInt64(end - position) else { throw .malformed }
        let start = position
        position += Int(length)
        return start..<position
    }

    /// Skips the value of a field that the message does not have.
    /// - Parameter known: the number of the message's last field. A field up to that number is
    ///   malformed here: it has a wire type other than its own.
    /// - Throws: `WireViolation.malformed`.
    mutating func skip(_ tag: UInt64, known: UInt64 = 0) throws(WireViolation) {
        let number = tag >> 3
        guard number == 0 || number > known else { throw .malformed }
        switch tag & 7 {
        case 0: _ = try varint()
        case 1: try skip(bytes: 8)
        case 2: _ = try range()
        case 5: try skip(bytes: 4)
        default: throw .malformed
        }
    }

    private mutating func skip(bytes count: Int) throws(WireViolation) {
        guard end - position >= count else { throw .malformed }
        position += count
    }
}

/// The envelope does not conform to `wire.proto`.
package enum WireViolation: Error, Hashable {
    /// Not a protobuf message, or a field of the wrong type.
    case malformed
}
