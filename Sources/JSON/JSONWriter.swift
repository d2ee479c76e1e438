/// Writes JSON with members in their order, on one line or indented by two spaces.
package struct JSONWriter {
    /// Bytes of most texts that are written, so that few arrays grow step by step.
    private static let textBytesUsual = 256

    private let escapes: JSONText.Escapes
    private let isPretty: Bool
    private var bytes: [UInt8] = []
    private var indent = 0

    /// The text of an object, on one line.
    package static func text(_ object: JSONObject) -> String {
        text(.object(object), .required)
    }

    /// The text of a value.
    package static func text(
        _ value: JSONValue, _ escapes: JSONText.Escapes, pretty isPretty: Bool = false
    ) -> String {
        String(decoding: bytes(value, escapes, pretty: isPretty), as: UTF8.self)
    }

    /// The same in UTF-8.
    package static func bytes(
        _ value: JSONValue, _ escapes: JSONText.Escapes, pretty isPretty: Bool = false
    ) -> [UInt8] {
        var writer = JSONWriter(escapes: escapes, isPretty: isPretty)
        writer.bytes.reserveCapacity(textBytesUsual)
        writer.write(value)
        return writer.bytes
    }

    private init(escapes: JSONText.Escapes, isPretty: Bool) {
        self.escapes = escapes
        self.isPretty = isPretty
    }

    private mutating func write(_ value: JSONValue) {
        switch value {
        case .null: bytes += "null".utf8
        case .boolean(let truth): bytes += (truth ? "true" : "false").utf8
        case .integer(let number): write(number)
        case .real(let number): bytes += "\(number)".utf8
        case .number(let digits): bytes += digits.utf8
        case .string(let text): JSONText.append(text, to: &bytes, escapes)
        case .array(let values):
            write(values, UInt8(ascii: "["), UInt8(ascii: "]")) { $0.write($1) }
        case .object(let object):
            write(object.members, UInt8(ascii: "{"), UInt8(ascii: "}")) { writer, member in
                JSONText.append(member.name, to: &writer.bytes, writer.escapes)
                writer.bytes.append(UInt8(ascii: ":"))
                if writer.isPretty { writer.bytes.append(UInt8(ascii: " ")) }
                writer.write(member.value)
            }
        }
    }

    /// Digits from the last to the first, then turned round: without a `String` for each number.
    private mutating func write(_ number: Int64) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        let start = bytes.count
        var rest = number.magnitude
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    private mutating func write<Part>(
        _ parts: [Part], _ open: UInt8, _ close: UInt8,
        _ writePart: (inout JSONWriter, Part) -> Void
    ) {
        bytes.append(open)
        indent += 1
        for (index, part) in parts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine()
            writePart(&self, part)
        }
        indent -= 1
        if !parts.isEmpty { breakLine() }
        bytes.append(close)
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes += [UInt8](repeating: UInt8(ascii: " "), count: 2 * indent)
    }
}
