/// Parses one JSON object strictly. Rejects repeated names (one parser would use the first value
/// and another the last), invalid UTF-8, NUL, content before or after the object, deep nesting and
/// too many members. Returns nil for rejected input: the reason would help only an attacker.
package struct JSONReader {
    /// The deepest nesting of objects and arrays. Key sets need three levels.
    package static let depthMax = 6
    /// The largest number of members of one object. It bounds the check for repeated names, which
    /// is quadratic.
    package static let membersMax = 64

    private let bytes: [UInt8]
    private let depthMax: Int
    private let membersMax: Int
    private var position = 0

    /// Parses `bytes`, which must contain one object and nothing else. The caller limits their
    /// number.
    /// - Parameters:
    ///   - depthMax: The deepest nesting. It protects parsers of untrusted input against deep
    ///     recursion.
    ///   - membersMax: The largest number of members of one object.
    package static func object(
        in bytes: [UInt8], depthMax: Int = depthMax, membersMax: Int = membersMax
    ) -> JSONObject? {
        var reader = JSONReader(bytes, depthMax: depthMax, membersMax: membersMax)
        guard case .object(let object)? = reader.value(depth: 1) else { return nil }
        reader.skipSpace()
        return reader.position == bytes.count ? object : nil
    }

    private init(_ bytes: [UInt8], depthMax: Int, membersMax: Int) {
        self.bytes = bytes
        self.depthMax = depthMax
        self.membersMax = membersMax
    }

    private mutating func value(depth: Int) -> JSONValue? {
        guard depth <= depthMax else { return nil }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return object(depth: depth).map(JSONValue.object)
        case UInt8(ascii: "["): return array(depth: depth).map(JSONValue.array)
        case UInt8(ascii: "\""): return string().map(JSONValue.string)
        case UInt8(ascii: "t"): return take("true") ? .boolean(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .boolean(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func object(depth: Int) -> JSONObject? {
        guard take("{") else { return nil }
        var object = JSONObject()
        skipSpace()
        if take("}") { return object }
        repeat {
            skipSpace()
            guard object.members.count < membersMax, let name = string() else { return nil }
            skipSpace()
            guard take(":"), let value = value(depth: depth + 1), object.add(name, value) else {
                return nil
            }
            skipSpace()
        } while take(",")
        return take("}") ? object : nil
    }

    private mutating func array(depth: Int) -> [JSONValue]? {
        guard take("[") else { return nil }
        var values: [JSONValue] = []
        skipSpace()
        if take("]") { return values }
        repeat {
            guard let value = value(depth: depth + 1) else { return nil }
            values.append(value)
            skipSpace()
        } while take(",")
        return take("]") ? values : nil
    }

    /// `-? (0 | 1-9 digits) (. digits)? (e sign? digits)?`
    private mutating func number() -> JSONValue? {
        let start = position
        _ = take("-")
        if !take("0") {
            guard digits() > 0 else { return nil }
        }
        var isInteger = true
        if take(".") {
            isInteger = false
            guard digits() > 0 else { return nil }
        }
        if take("e") || take("E") {
            isInteger = false
            if !take("+") { _ = take("-") }
            guard digits() > 0 else { return nil }
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let number = Int64(text) { return .integer(number) }
        guard let number = Double(text), number.isFinite else { return nil }
        return .real(number)
    }

    private mutating func digits() -> Int {
        let start = position
        while let digit = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) {
            position += 1
        }
        return position - start
    }

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                text += UTF8.encode(scalar).map(Array.init) ?? []
            case ..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return unicodeEscape()
        default: return nil
        }
    }

    /// Four digits, or two surrogates in the right order. Rejects NUL, at which C would end a text.
    private mutating func unicodeEscape() -> Unicode.Scalar? {
        guard let high = codeUnit(), high != 0 else { return nil }
        guard UTF16.isLeadSurrogate(high) else { return Unicode.Scalar(high) }
        guard take("\\u"), let low = codeUnit(), UTF16.isTrailSurrogate(low) else { return nil }
        return UTF16.decode(UTF16.EncodedScalar([high, low]))
    }

    private mutating func codeUnit() -> UInt16? {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                return nil
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    /// Advances past `text` if it is next.
    private mutating func take(_ text: StaticString) -> Bool {
        let isNext = text.withUTF8Buffer { bytes[position...].starts(with: $0) }
        if isNext { position += text.utf8CodeUnitCount }
        return isNext
    }
}
