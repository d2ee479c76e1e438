/// Writes JSON with members in their order, on one line or indented by two spaces.
package struct JSONWriter {
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
        var writer = JSONWriter(escapes: escapes, isPretty: isPretty)
        writer.write(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private init(escapes: JSONText.Escapes, isPretty: Bool) {
        self.escapes = escapes
        self.isPretty = isPretty
    }

    private mutating func write(_ value: JSONValue) {
        switch value {
        case .null: bytes += "null".utf8
        case .boolean(let truth): bytes += (truth ? "true" : "false").utf8
        case .integer(let number): bytes += "\(number)".utf8
        case .real(let number): bytes += "\(number)".utf8
        case .number(let digits): bytes += digits.utf8
        case .string(let text): JSONText.append(text, to: &bytes, escapes)
        case .array(let values): write(values, "[", "]") { $0.write($1) }
        case .object(let object):
            write(object.members, "{", "}") { writer, member in
                JSONText.append(member.name, to: &writer.bytes, writer.escapes)
                writer.bytes += (writer.isPretty ? ": " : ":").utf8
                writer.write(member.value)
            }
        }
    }

    private mutating func write<Part>(
        _ parts: [Part], _ open: String, _ close: String,
        _ writePart: (inout JSONWriter, Part) -> Void
    ) {
        bytes += open.utf8
        indent += 1
        for (index, part) in parts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine()
            writePart(&self, part)
        }
        indent -= 1
        if !parts.isEmpty { breakLine() }
        bytes += close.utf8
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes += [UInt8](repeating: UInt8(ascii: " "), count: 2 * indent)
    }
}
