import SwiftProtobufPluginLibrary

/// The Swift code of one field: its type, its default, and its way from the C struct.
struct FieldCode {
    let field: FieldDescriptor

    init(_ field: FieldDescriptor) {
        self.field = field
    }

    var name: String { lowerCamel(field.name) }

    /// The field in the C struct: protoc-gen-c evades the words that C++ keeps for itself.
    var cName: String {
        let name = field.name.lowercased()
        return Keywords.cPlusPlus.contains(name) ? name + "_" : name
    }

    var isMessage: Bool { field.type == .message }
    var isSecret: Bool { FieldOptions(field).isSecret }

    /// The type of one element.
    var element: String {
        if isSecret { return "SecretBytes" }
        return switch field.type {
        case .string: "String"
        case .bytes: "[UInt8]"
        case .bool: "Bool"
        case .uint32, .fixed32: "UInt32"
        case .uint64, .fixed64: "UInt64"
        case .int32, .sint32, .sfixed32: "Int32"
        case .int64, .sint64, .sfixed64: "Int64"
        case .float: "Float"
        case .double: "Double"
        case .enum: field.enumType?.swiftName ?? ""
        case .message: field.messageType?.swiftName ?? ""
        case .group: fatalError("\(field.fullName): groups are refused by Restrictions")
        }
    }

    var type: String {
        if field.isRepeated { return "[\(element)]" }
        return isMessage ? "\(element)?" : element
    }

    var standard: String {
        if field.isRepeated { return "[]" }
        if isSecret { return ".empty" }
        return switch field.type {
        case .string: "\"\""
        case .bytes: "[]"
        case .bool: "false"
        case .enum: ".\(firstCase)"
        case .message: "nil"
        default: "0"
        }
    }

    private var firstCase: String {
        guard let type = field.enumType, let first = type.values.first else { return "" }
        return escaped(type.caseName(first))
    }

    /// An expression that reads `source`, one C element.
    func reading(_ source: String) -> String {
        if isSecret { return "try Wire.secret(\(source))" }
        return switch field.type {
        case .string: "try Wire.text(\(source))"
        case .bytes: "Wire.bytes(\(source))"
        case .bool: "\(source) != 0"
        case .enum: "\(element)(rawValue: Int32(truncatingIfNeeded: \(source).rawValue))"
        case .message: "try \(element)(reading: \(source))"
        default: source
        }
    }

    /// The statements that read the whole field from `c` into a constant of its name.
    var read: [String] {
        let constant = "let \(escaped(name))"
        let source = "c.pointee.\(cName)"
        if field.isRepeated {
            let body = reading(isMessage ? "Wire.present($0)" : "$0")
            let attempt = body.hasPrefix("try") ? "try " : ""
            return [
                "\(constant) = \(attempt)Wire.array(",
                "    c.pointee.n_\(cName), \(source)",
                ") { \(body) }",
            ]
        }
        guard isMessage else { return ["\(constant) = \(reading(source))"] }
        return ["\(constant) = try \(source).map { \(reading("$0")) }"]
    }
}
