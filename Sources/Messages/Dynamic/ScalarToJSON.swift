import Cryptography
import JSON

/// Converts one encoded scalar or enum value to JSON.
struct ScalarToJSON {
    let kind: FieldType.Kind
    let path: JSONPath
    let schema: Schema

    /// Whether `value` is the default of an absent field.
    func isDefault(_ value: ScannedValue) -> Bool {
        switch value {
        case .varint(let value): is32Bits ? UInt32(truncatingIfNeeded: value) == 0 : value == 0
        case .fixed64(let value): value == 0
        case .fixed32(let value): value == 0
        case .bytes(let value): value.isEmpty
        }
    }

    /// The value as JSON.
    /// - Throws: `MappingError` when its wire type does not match the field.
    func tree(_ value: ScannedValue) throws(MappingError) -> JSONValue {
        switch value {
        case .varint(let value): try varint(value)
        case .fixed32(let value): try fixed32(value)
        case .fixed64(let value): try fixed64(value)
        case .bytes(let value): try bytes(value)
        }
    }

    /// The values of a packed field.
    /// - Throws: `MappingError` when the field is truncated.
    func unpacked(_ packed: ArraySlice<UInt8>) throws(MappingError) -> [JSONValue] {
        var scanner = FieldScanner(packed)
        var elements: [JSONValue] = []
        while !scanner.isAtEnd {
            elements.append(try tree(try next(&scanner)))
        }
        return elements
    }

    private func next(_ scanner: inout FieldScanner) throws(MappingError) -> ScannedValue {
        do {
            switch kind {
            case .double, .fixed64, .sfixed64: return .fixed64(try scanner.fixed64())
            case .float, .fixed32, .sfixed32: return .fixed32(try scanner.fixed32())
            default: return .varint(try scanner.varint())
            }
        } catch {
            throw MappingError("a packed field is cut", at: path)
        }
    }

    private func varint(_ value: UInt64) throws(MappingError) -> JSONValue {
        switch kind {
        case .bool: .boolean(value != 0)
        case .int32: .number("\(Int32(truncatingIfNeeded: value))")
        case .uint32: .number("\(UInt32(truncatingIfNeeded: value))")
        case .sint32: .number("\(Int32(truncatingIfNeeded: unZigZag(value)))")
        case .int64: .string("\(Int64(bitPattern: value))")
        case .uint64: .string("\(value)")
        case .sint64: .string("\(unZigZag(value))")
        case .enumeration(let name): enumeration(name, Int32(truncatingIfNeeded: value))
        default: throw mismatch
        }
    }

    private func fixed32(_ value: UInt32) throws(MappingError) -> JSONValue {
        switch kind {
        case .fixed32: .number("\(value)")
        case .sfixed32: .number("\(Int32(bitPattern: value))")
        case .float: real(Float(bitPattern: value))
        default: throw mismatch
        }
    }

    private func fixed64(_ value: UInt64) throws(MappingError) -> JSONValue {
        switch kind {
        case .fixed64: .string("\(value)")
        case .sfixed64: .string("\(Int64(bitPattern: value))")
        case .double: real(Double(bitPattern: value))
        default: throw mismatch
        }
    }

    private func bytes(_ value: ArraySlice<UInt8>) throws(MappingError) -> JSONValue {
        switch kind {
        case .bytes: return .string(Base64.encode(value))
        case .string:
            // `try?`: the error is the same wherever the bytes are no text.
            guard !value.contains(0), let text = try? UTF8Span(validating: value.span) else {
                throw MappingError("text is not UTF-8 or holds a NUL", at: path)
            }
            return .string(String(copying: text))
        default: throw mismatch
        }
    }

    private func enumeration(_ name: String, _ number: Int32) -> JSONValue {
        schema.enums[name]?.names[number].map { .string($0) } ?? .number("\(number)")
    }

    private func real(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> JSONValue {
        if value.isNaN { return .string("NaN") }
        if value.isInfinite { return .string(value < 0 ? "-Infinity" : "Infinity") }
        return .number(value.description)
    }

    private var is32Bits: Bool {
        switch kind {
        case .int32, .uint32, .sint32, .enumeration: true
        default: false
        }
    }

    private func unZigZag(_ value: UInt64) -> Int64 {
        Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    private var mismatch: MappingError {
        MappingError("a value of another type", at: path)
    }
}
