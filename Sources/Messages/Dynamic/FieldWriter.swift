/// Writes the fields of a message whose type is known only from a schema.
struct FieldWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ number: Int, _ value: ScannedValue) {
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
