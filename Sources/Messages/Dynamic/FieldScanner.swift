/// The value of a field, as far as its wire type determines it.
package enum ScannedValue: Sendable {
    /// A varint.
    case varint(UInt64)
    /// Eight bytes, little-endian.
    case fixed64(UInt64)
    /// Four bytes, little-endian.
    case fixed32(UInt32)
    /// A text, bytes, a message or a packed field.
    case bytes(ArraySlice<UInt8>)
}

/// Reads the fields of a message whose type is known only from a schema
/// (https://protobuf.dev/programming-guides/encoding/). Every index is checked: the bytes come from
/// a peer, and a trap would end the process.
package struct FieldScanner {
    private var rest: ArraySlice<UInt8>

    /// Reads `bytes`, which encode one message.
    package init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// The next field, or nil at the end.
    /// - Throws: `MessageError.malformed`.
    package mutating func next() throws(MessageError) -> Field? {
        guard !rest.isEmpty else { return nil }
        let tag = try varint()
        // Field numbers have 29 bits, and 0 is invalid.
        guard tag >> 3 != 0, tag <= UInt64(UInt32.max) else { throw .malformed }
        return Field(number: Int(tag >> 3), value: try value(wireType: tag & 7))
    }

    private mutating func value(wireType: UInt64) throws(MessageError) -> ScannedValue {
        switch wireType {
        case 0: .varint(try varint())
        case 1: .fixed64(try fixed64())
        case 2: .bytes(try take(try varint()))
        case 5: .fixed32(try fixed32())
        default: throw .malformed  // 3 and 4 are groups, which proto3 does not have
        }
    }

    /// A varint: seven bits per byte, lowest first, at most ten bytes.
    mutating func varint() throws(MessageError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 70, let byte = rest.popFirst() {
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .malformed
    }

    /// Eight bytes, little-endian.
    mutating func fixed64() throws(MessageError) -> UInt64 {
        try take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Four bytes, little-endian.
    mutating func fixed32() throws(MessageError) -> UInt32 {
        try take(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    var isAtEnd: Bool { rest.isEmpty }

    private mutating func take(_ count: UInt64) throws(MessageError) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw .malformed }
        let taken = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        return taken
    }

    /// One encoded field of a message.
    package struct Field {
        /// The field's number.
        package let number: Int
        /// Its value.
        package let value: ScannedValue
    }
}

/// Writes the fields of a message whose type is known only from a schema.
package struct FieldWriter {
    /// The encoded fields.
    package private(set) var bytes: [UInt8] = []

    /// No fields.
    package init() {}

    /// Writes a field with its number.
    package mutating func append(_ number: Int, _ value: ScannedValue) {
        switch value {
        case .varint: tag(number, 0)
        case .fixed64: tag(number, 1)
        case .bytes: tag(number, 2)
        case .fixed32: tag(number, 5)
        }
        append(value)
    }

    /// Writes the value without a tag, as in a packed field.
    mutating func append(_ value: ScannedValue) {
        switch value {
        case .varint(let value): varint(value)
        case .fixed64(let value): withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
        case .fixed32(let value): withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
        case .bytes(let value):
            varint(UInt64(value.count))
            bytes += value
        }
    }

    private mutating func tag(_ number: Int, _ wireType: UInt64) {
        varint(UInt64(number) << 3 | wireType)
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
