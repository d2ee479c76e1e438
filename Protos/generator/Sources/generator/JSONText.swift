/// A JSON value to write, from literals, so that fixed parts of a document are written as they are
/// read. Members keep their order.
enum JSONText: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Members of an object, in their order.
    typealias Members = [(name: String, value: JSONText)]

    case string(String)
    case number(Int)
    case boolean(Bool)
    case array([JSONText])
    case object(Members)

    init(stringLiteral text: String) { self = .string(text) }
    init(integerLiteral number: Int) { self = .number(number) }
    init(booleanLiteral boolean: Bool) { self = .boolean(boolean) }
    init(arrayLiteral items: JSONText...) { self = .array(items) }
    init(dictionaryLiteral members: (String, JSONText)...) {
        self = .object(members.map { (name: $0.0, value: $0.1) })
    }

    /// The value in lines of up to 100 columns where that is possible, so that a change is a short
    /// diff.
    func text(indent: String = "") -> String {
        let line = self.line
        guard indent.count + line.count > 96 else { return line }
        let inner = indent + "  "
        switch self {
        case .array(let items) where !items.isEmpty:
            let lines = items.map { inner + $0.text(indent: inner) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map {
                "\(inner)\(Self.quoted($0.name)): \($0.value.text(indent: inner))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        default: return line
        }
    }

    private var line: String {
        switch self {
        case .string(let text): return Self.quoted(text)
        case .number(let number): return "\(number)"
        case .boolean(let boolean): return "\(boolean)"
        case .array(let items): return "[\(items.map(\.line).joined(separator: ", "))]"
        case .object(let members):
            let texts = members.map { "\(Self.quoted($0.name)): \($0.value.line)" }
            return "{\(texts.joined(separator: ", "))}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            default:
                precondition(scalar.value >= 0x20, "a control character in a comment")
                quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
