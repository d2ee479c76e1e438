/// A strict JSON parser (RFC 8259). The text must be UTF-8. It rejects duplicate names in an object
/// (parsers differ in which one they use), lone surrogates, text after the value, and nesting
/// deeper than any message has.
struct JSONParser {
    /// Size limit of a text, in bytes: a message of 1 MiB, its bytes as base64, indented.
    static let textBytesMax = 4 * 1024 * 1024
    /// Maximum nesting of objects and arrays: each level uses a stack frame.
    static let depthMax = 64

    private let bytes: [UInt8]
    private var position = 0

    /// Parses `text`.
    /// - Throws: `MappingError` with the position of the mistake.
    static func tree(of text: String) throws(MappingError) -> JSONTree {
        guard text.utf8.count <= textBytesMax else {
            throw MappingError("the JSON text is over \(textBytesMax) bytes")
        }
        var parser = JSONParser(bytes: Array(text.utf8))
        let tree = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.position == parser.bytes.count else {
            throw parser.complaint("unexpected text")
        }
        return tree
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func value(depth: Int) throws(MappingError) -> JSONTree {
        guard depth < Self.depthMax else { throw complaint("nested too deep") }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            return .number(try number())
        default: return try word()
        }
    }

    private mutating func word() throws(MappingError) -> JSONTree {
        if take("true") { return .bool(true) }
        if take("false") { return .bool(false) }
        if take("null") { return .null }
        throw complaint("not a JSON value")
    }

    private mutating func object(depth: Int) throws(MappingError) -> [JSONTree.Member] {
        position += 1
        var members: [JSONTree.Member] = []
        var names: Set<String> = []
        skipSpace()
        if take("}") { return members }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw complaint("a name in quotes is missing") }
            let name = try string()
            guard names.insert(name).inserted else { throw complaint("\"\(name)\" appears twice") }
            skipSpace()
            guard take(":") else { throw complaint("a colon is missing") }
            members.append(JSONTree.Member(name: name, value: try value(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw complaint("a comma or } is missing") }
        return members
    }

    private mutating func array(depth: Int) throws(MappingError) -> [JSONTree] {
        position += 1
        var elements: [JSONTree] = []
        skipSpace()
        if take("]") { return elements }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw complaint("a comma or ] is missing") }
        return elements
    }

    /// `-? (0 | 1-9 digits) (. digits)? ((e | E) (+ | -)? digits)?`; returns the text.
    private mutating func number() throws(MappingError) -> String {
        let start = position
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func digits() throws(MappingError) {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            position += 1
        }
        guard position > start else { throw complaint("a digit is missing") }
    }
}

// MARK: Strings

extension JSONParser {
    private mutating func string() throws(MappingError) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += String(Character(try escape())).utf8
            case ..<0x20: throw complaint("a control character in a string must be escaped")
            default: text.append(byte)
            }
        }
        throw complaint("a string has no end")
    }

    private mutating func escape() throws(MappingError) -> Unicode.Scalar {
        guard let byte = next else { throw complaint("a string has no end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw complaint("an unknown escape")
        }
    }

    /// Four hexadecimal digits, or a surrogate pair in the right order.
    private mutating func unicodeEscape() throws(MappingError) -> Unicode.Scalar {
        let high = try codeUnit()
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard high < 0xdc00, take("\\u") else { throw complaint("half of a surrogate pair") }
        let low = try codeUnit()
        guard (0xdc00...0xdfff).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xd800) << 10 + (low - 0xdc00))
        else { throw complaint("half of a surrogate pair") }
        return scalar
    }

    private mutating func codeUnit() throws(MappingError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw complaint("four hexadecimal digits are missing")
            }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }
}

// MARK: Bytes

extension JSONParser {
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        let isThere = word.withUTF8Buffer { $0.elementsEqual(bytes[position..<position + count]) }
        if isThere { position += count }
        return isThere
    }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x0a, 0x0d, 0x09].contains(byte) { position += 1 }
    }

    private func complaint(_ reason: String) -> MappingError {
        MappingError("not JSON at byte \(position): \(reason)")
    }
}
