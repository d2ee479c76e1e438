/// Writes a JSON text, on one line or indented by two spaces.
struct JSONPrinter {
    private let isPretty: Bool
    private var text = ""
    private var indent = 0

    /// `tree` as text.
    static func text(of tree: JSONTree, isPretty: Bool) -> String {
        var printer = JSONPrinter(isPretty: isPretty)
        printer.write(tree)
        return printer.text
    }

    private init(isPretty: Bool) {
        self.isPretty = isPretty
    }

    private mutating func write(_ tree: JSONTree) {
        switch tree {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let digits): text += digits
        case .string(let value): write(value)
        case .array(let elements): write(elements, "[", "]") { $0.write($1) }
        case .object(let members):
            write(members, "{", "}") { printer, member in
                printer.write(member.name)
                printer.text += printer.isPretty ? ": " : ":"
                printer.write(member.value)
            }
        }
    }

    private mutating func write<Part>(
        _ parts: [Part], _ open: String, _ close: String,
        _ writePart: (inout JSONPrinter, Part) -> Void
    ) {
        text += open
        indent += 1
        for (index, part) in parts.enumerated() {
            if index > 0 { text += "," }
            breakLine()
            writePart(&self, part)
        }
        indent -= 1
        if !parts.isEmpty { breakLine() }
        text += close
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        text += "\n"
        for _ in 0..<indent { text += "  " }
    }

    /// Writes a string with every control character escaped: text from outside must not control the
    /// terminal on which it is shown (ESC, and the C1 controls, which RFC 8259 does not require to
    /// be escaped).
    private mutating func write(_ value: String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..<" ", "\u{7f}"..."\u{9f}", "\u{2028}"..."\u{2029}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
