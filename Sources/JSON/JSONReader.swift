/// Parses JSON strictly (RFC 8259). Rejects repeated names (one parser would use the first value
/// and another the last), invalid UTF-8, lone surrogates, content before or after the value, deep
/// nesting and too many members.
package struct JSONReader {
    /// The deepest nesting of objects and arrays by default. Key sets need three levels.
    package static let depthMax = 6
    /// The largest number of members of one object by default.
    package static let membersMax = 64

    /// What differs between the readers of tokens, settings and messages.
    package struct Options: Sendable {
        let depthMax: Int
        let membersMax: Int
        let retainsNumberTexts: Bool
        let acceptsNUL: Bool
        let refusesLargeIntegers: Bool

        /// Options of a reader.
        /// - Parameters:
        ///   - depthMax: The deepest nesting: each level uses a stack frame.
        ///   - membersMax: The largest number of members of one object.
        ///   - retainsNumberTexts: Every number is read as `JSONValue.number`.
        ///   - acceptsNUL: Texts may contain NUL, at which C would end them.
        ///   - refusesLargeIntegers: An integer of more than 64 bits is an error. Otherwise it is
        ///     read as a `Double`, which can be another number.
        package init(
            depthMax: Int = JSONReader.depthMax, membersMax: Int = JSONReader.membersMax,
            retainsNumberTexts: Bool = false, acceptsNUL: Bool = false,
            refusesLargeIntegers: Bool = false
        ) {
            self.depthMax = depthMax
            self.membersMax = membersMax
            self.retainsNumberTexts = retainsNumberTexts
            self.acceptsNUL = acceptsNUL
            self.refusesLargeIntegers = refusesLargeIntegers
        }
    }

    private let bytes: [UInt8]
    private let end: Int
    private let options: Options
    /// The index of the next byte.
    private(set) var position: Int

    /// Parses `bytes`, which must contain one value and nothing else. The caller limits their
    /// number.
    /// - Throws: `JSONError`.
    package static func value(
        in bytes: [UInt8], _ options: Options
    ) throws(JSONError) -> JSONValue {
        try value(in: bytes, at: bytes.indices, options)
    }

    /// Parses a part of `bytes` where it is, without a copy of it. It must contain one value and
    /// nothing else.
    /// - Throws: `JSONError`.
    package static func value(
        in bytes: [UInt8], at range: Range<Int>, _ options: Options
    ) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes: bytes, at: range, options: options)
        let value = try reader.value(depth: 1)
        try reader.finish()
        return value
    }

    /// Parses one object of an outsider. Nil for rejected input: the reason would help only an
    /// attacker.
    package static func object(
        in bytes: [UInt8], depthMax: Int = depthMax, membersMax: Int = membersMax
    ) -> JSONObject? {
        let options = Options(depthMax: depthMax, membersMax: membersMax)
        // The reason is dropped on purpose.
        return (try? value(in: bytes, options))?.object
    }

    /// Begins to read a part of `bytes`.
    init(bytes: [UInt8], at range: Range<Int>, options: Options) {
        self.bytes = bytes
        self.options = options
        position = range.lowerBound
        end = range.upperBound
    }

    /// Throws an error unless only space is left.
    mutating func finish() throws(JSONError) {
        skipSpace()
        guard position == end else { throw error("unexpected text") }
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            return try number()
        default: return try word()
        }
    }

    private mutating func word() throws(JSONError) -> JSONValue {
        if take("true") { return .boolean(true) }
        if take("false") { return .boolean(false) }
        if take("null") { return .null }
        throw error("not a JSON value")
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONObject {
        guard depth <= options.depthMax else { throw error("nested too deep") }
        position += 1
        var members: [JSONObject.Member] = []
        var names = Names()
        skipSpace()
        if take(UInt8(ascii: "}")) { return JSONObject() }
        repeat {
            skipSpace()
            guard members.count < options.membersMax else { throw error("too many members") }
            guard next == UInt8(ascii: "\"") else { throw error("a name in quotes is missing") }
            let name = try string()
            guard names.insert(name, besides: members) else {
                throw error("\"\(name)\" appears twice")
            }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw error("a colon is missing") }
            members.append(JSONObject.Member(name: name, value: try value(depth: depth + 1)))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw error("a comma or } is missing") }
        return JSONObject(unique: members)
    }

    /// The names of an object's members. A set of them is made for large objects only: a few names
    /// are compared faster than one is hashed, but comparing many would let an attacker spend our
    /// time.
    private struct Names {
        private static let comparedMax = 8

        private var all: Set<String> = []

        /// Adds a name to those of `members`; returns false if it is one of them.
        mutating func insert(_ name: String, besides members: [JSONObject.Member]) -> Bool {
            if members.count < Self.comparedMax { return !members.contains { $0.name == name } }
            if members.count == Self.comparedMax { all = Set(members.map(\.name)) }
            return all.insert(name).inserted
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth <= options.depthMax else { throw error("nested too deep") }
        position += 1
        var values: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return values }
        repeat {
            values.append(try value(depth: depth + 1))
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw error("a comma or ] is missing") }
        return values
    }

    /// `-? (0 | 1-9 digits) (. digits)? ((e | E) (+ | -)? digits)?`
    private mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        let isNegative = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        if isInteger, !options.retainsNumberTexts, position - start <= Self.plainBytesMax {
            return .integer(plainInteger(from: isNegative ? start + 1 : start, isNegative))
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if options.retainsNumberTexts { return .number(text) }
        if isInteger, let number = Int64(text) { return .integer(number) }
        guard let number = Double(text), number.isFinite,
            !isInteger || !options.refusesLargeIntegers
        else {
            throw error("a number is too large")
        }
        return .real(number)
    }

    /// The most digits and sign with which any integer fits 64 bits.
    private static let plainBytesMax = 18

    /// The integer of the digits from `start` to here. A text of 64 KiB can have 32,000 numbers, and
    /// a `String` of each takes longer than all else.
    private func plainInteger(from start: Int, _ isNegative: Bool) -> Int64 {
        var number: Int64 = 0
        for index in start..<position { number = number &* 10 &+ Int64(bytes[index] &- 0x30) }
        return isNegative ? -number : number
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            position += 1
        }
        guard position > start else { throw error("a digit is missing") }
    }
}

/// Why a text is not the JSON that a reader accepts.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes before the error.
    package let position: Int
    /// The error message, in English. It may quote the text.
    package let reason: String

    package var description: String { "not JSON at byte \(position): \(reason)" }
}

// MARK: Strings

extension JSONReader {
    /// The text of the string that is next. The caller has looked at its first quote.
    mutating func string() throws(JSONError) -> String {
        position += 1
        // The text up to the last escape; the rest is in `bytes` from `start`. Most have no escape.
        var text: [UInt8] = []
        var start = position
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                let rest = start..<position - 1
                if text.isEmpty { return try validated(bytes.span.extracting(rest)) }
                text += bytes[rest]
                return try validated(text.span)
            case UInt8(ascii: "\\"):
                text += bytes[start..<position - 1]
                text += UTF8.encode(try escape()).map(Array.init) ?? []
                start = position
            case ..<0x20: throw error("a control character in a string must be escaped")
            default: break
            }
        }
        throw error("a string has no end")
    }

    private func validated(_ text: Span<UInt8>) throws(JSONError) -> String {
        // The reason is dropped: the text may be a secret.
        guard let text = try? UTF8Span(validating: text) else {
            throw error("a string is not UTF-8")
        }
        return String(copying: text)
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        guard let byte = next else { throw error("a string has no end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw error("an unknown escape")
        }
    }

    /// Four digits, or two surrogates in the right order.
    private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
        let high = try codeUnit()
        guard high != 0 || options.acceptsNUL else { throw error("a NUL in a string") }
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard UTF16.isLeadSurrogate(high), take("\\u") else {
            throw error("half of a surrogate pair")
        }
        let low = try codeUnit()
        guard UTF16.isTrailSurrogate(low) else { throw error("half of a surrogate pair") }
        return UTF16.decode(UTF16.EncodedScalar([high, low]))
    }

    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("four hexadecimal digits are missing")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}

// MARK: Bytes

extension JSONReader {
    /// The byte that is next. Nil at the end.
    var next: UInt8? { position < end ? bytes[position] : nil }

    /// Advances past the byte that is next, and returns it. Nil at the end.
    mutating func takeByte() -> UInt8? {
        guard let byte = next else { return nil }
        position += 1
        return byte
    }

    /// Advances past space.
    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    /// Advances past a byte if it is next.
    mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    /// Advances past `text` if it is next.
    private mutating func take(_ text: StaticString) -> Bool {
        let isNext = text.withUTF8Buffer { bytes[position..<end].starts(with: $0) }
        if isNext { position += text.utf8CodeUnitCount }
        return isNext
    }

    /// An error at the position.
    func error(_ reason: String) -> JSONError {
        JSONError(position: position, reason: reason)
    }
}
