import SwiftProtobufPluginLibrary

/// The Swift code of one field: its type and its default.
struct FieldCode {
    let field: FieldDescriptor

    init(_ field: FieldDescriptor) {
        self.field = field
    }

    var name: String { lowerCamel(field.name) }

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

    /// The type in the declaration of the message's property; see `MessageCode`.
    var storedType: String {
        isMessage && !field.isRepeated ? "Optional<\(element)>" : type
    }

    var defaultValue: String {
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
}
