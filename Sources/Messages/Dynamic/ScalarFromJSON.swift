import Cryptography
import JSON

/// Converts one JSON value to the scalar type of a field.
struct ScalarFromJSON {
    let tree: JSONValue
    let path: JSONPath

    /// The value of a field of `kind`, which is neither an enum nor a message.
    /// - Throws: `MappingError` when the value does not fit.
    func value(_ kind: FieldType.Kind) throws(MappingError) -> ScannedValue {
        switch kind {
        case .bool: .varint(try bool() ? 1 : 0)
        case .string: .bytes(Array(try text().utf8)[...])
        case .bytes: .bytes(try bytes()[...])
        case .int32: .varint(UInt64(bitPattern: Int64(try integer() as Int32)))
        case .int64: .varint(UInt64(bitPattern: try integer()))
        case .uint32: .varint(UInt64(try integer() as UInt32))
        case .uint64: .varint(try integer())
        case .sint32: .varint(zigZag(Int64(try integer() as Int32)))
        case .sint64: .varint(zigZag(try integer()))
        case .fixed32: .fixed32(try integer())
        case .fixed64: .fixed64(try integer())
        case .sfixed32: .fixed32(UInt32(bitPattern: try integer()))
        case .sfixed64: .fixed64(UInt64(bitPattern: try integer()))
        case .float: .fixed32(try float().bitPattern)
        case .double: .fixed64(try double().bitPattern)
        case .enumeration, .message: throw needed("another value")
        }
    }

    /// A whole number in the range of `Number`, as a JSON number or in quotes; `1e3` and `2.0` are
    /// also whole.
    /// - Throws: `MappingError` for any other value.
    func integer<Number: FixedWidthInteger>() throws(MappingError) -> Number {
        guard let digits = numberText else { throw needed("a number") }
        if let number = Number(digits) { return number }
        if digits.contains(where: { ".eE".contains($0) }), let real = Double(digits),
            let number = Number(exactly: real)
        {
            return number
        }
        throw MappingError(
            "a whole number from \(Number.min) to \(Number.max) is needed", at: path)
    }

    private func bool() throws(MappingError) -> Bool {
        guard case .boolean(let value) = tree else { throw needed("true or false") }
        return value
    }

    /// Text without NUL, which none of our readers accepts.
    private func text() throws(MappingError) -> String {
        guard case .string(let text) = tree else { throw needed("a string") }
        guard !text.utf8.contains(0) else {
            throw MappingError("text cannot hold a NUL", at: path)
        }
        return text
    }

    private func bytes() throws(MappingError) -> [UInt8] {
        guard case .string(let text) = tree, let bytes = Base64.decodeLeniently(text.utf8) else {
            throw needed("base64 in a string")
        }
        return bytes
    }

    private func double() throws(MappingError) -> Double {
        switch tree {
        case .string("NaN"): return .nan
        case .string("Infinity"): return .infinity
        case .string("-Infinity"): return -.infinity
        default: break
        }
        guard let digits = numberText, let number = Double(digits), number.isFinite else {
            throw needed("a number")
        }
        return number
    }

    private func float() throws(MappingError) -> Float {
        let double = try double()
        let float = Float(double)
        guard float.isFinite || !double.isFinite else { throw needed("a smaller number") }
        return float
    }

    /// The text of a number, which may be in quotes.
    private var numberText: String? {
        switch tree {
        case .number(let digits): digits
        case .string(let text):
            // `Double` accepts "0x10" and "inf", and `Int64` accepts "+1"; JSON has none of them.
            text.utf8.first != UInt8(ascii: "+")
                && text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) ? text : nil
        default: nil
        }
    }

    private func zigZag(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }

    private func needed(_ what: String) -> MappingError {
        MappingError("\(what) is needed, not \(tree.kind)", at: path)
    }
}

extension JSONValue {
    /// The kind of value, for error texts.
    var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .integer, .real, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
