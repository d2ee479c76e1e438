import SwiftProtobufPluginLibrary

/// The schemas of messages and enums in OpenAPI, as proto3's JSON mapping writes them: names in
/// lowerCamelCase, 64-bit integers as strings, enums by name, bytes in base64.
struct OpenAPISchemas {
    /// By name, without the package, since generated clients name types so.
    private var schemas: [String: JSONText] = [:]
    private var fullNames: [String: String] = [:]

    /// Adds a message and all that it holds; returns what `$ref` has for it.
    mutating func add(_ message: Descriptor) -> JSONText {
        guard isNew(message.name, message.fullName) else { return reference(message.name) }
        var members: JSONText.Members = []
        for field in message.fields {
            members.append((field.jsonName ?? field.name, schema(of: field)))
        }
        schemas[message.name] = [
            "type": "object",
            "description": .string(prose(message.protoSourceComments(commentPrefix: ""))),
            "properties": .object(members),
        ]
        return reference(message.name)
    }

    /// All schemas, sorted by name.
    var all: JSONText.Members {
        schemas.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    private mutating func add(_ type: EnumDescriptor) -> JSONText {
        guard isNew(type.name, type.fullName) else { return reference(type.name) }
        let values = type.values.map {
            "- `\($0.name)`: \(prose($0.protoSourceComments(commentPrefix: "")))"
        }
        let comment = prose(type.protoSourceComments(commentPrefix: ""))
        schemas[type.name] = [
            "type": "string",
            "description": .string("\(comment)\n\n\(values.joined(separator: "\n"))"),
            "enum": .array(type.values.map { .string($0.name) }),
        ]
        return reference(type.name)
    }

    /// Reserves a name; false for a type that is there, or on its way.
    private mutating func isNew(_ name: String, _ fullName: String) -> Bool {
        if let known = fullNames[name] {
            precondition(known == fullName, "\(fullName), \(known): one name in OpenAPI")
            return false
        }
        fullNames[name] = fullName
        return true
    }

    private func reference(_ name: String) -> JSONText {
        .string("#/components/schemas/\(name)")
    }

    private mutating func schema(of field: FieldDescriptor) -> JSONText {
        let type = type(of: field)
        var comment = prose(field.protoSourceComments(commentPrefix: ""))
        if let oneof = field.realContainingOneof, oneof.fields.count > 1 {
            let names = oneof.fields.map { "`\($0.jsonName ?? $0.name)`" }
            comment += "\n\nAt most one of \(names.joined(separator: ", "))."
        }
        let description = [(name: "description", value: JSONText.string(comment))]
        if field.isRepeated {
            return .object([("type", "array")] + description + [("items", .object(type))])
        }
        return .object(type + description)
    }

    private mutating func type(of field: FieldDescriptor) -> JSONText.Members {
        if let type = field.enumType { return [("$ref", add(type))] }
        if let type = field.messageType { return [("$ref", add(type))] }
        switch field.type {
        case .bool: return [("type", "boolean")]
        case .int32: return [("type", "integer"), ("format", "int32")]
        case .uint32: return [("type", "integer"), ("format", "int64"), ("minimum", 0)]
        case .int64: return [("type", ["string", "integer"]), ("format", "int64")]
        case .uint64: return [("type", ["string", "integer"]), ("format", "uint64")]
        case .bytes: return [("type", "string"), ("contentEncoding", "base64")]
        case .string where FieldOptions(field).isSecret:
            return [("type", "string"), ("format", "password"), ("writeOnly", true)]
        case .string: return [("type", "string")]
        default: fatalError("\(field.fullName): no JSON schema for its type")
        }
    }
}
