import JSON

/// One field in the outline of a message.
package struct SchemaField: Hashable, Sendable {
    /// 0 for a field of the message itself, 1 for one of a message in it, and so on.
    package let depth: Int
    /// Its name in JSON.
    package let name: String
    /// Its type, as in the `.proto` but without packages; an enum with its values.
    package let type: String
    /// Whether it must not remain in memory after the call.
    package let isSecret: Bool
    /// The other fields of its oneof. At most one of them may be set.
    package let alternatives: [String]
}

/// What a person needs to write a message by hand.
extension SchemaMessage {
    /// Limits the outline of a schema whose types contain each other; ours are less deep.
    private static let outlineDepthMax = 6

    /// The message's fields, each followed by those of its type.
    package var fields: [SchemaField] { fields(of: type, within: []) }

    private func fields(of type: MessageType, within outer: [String]) -> [SchemaField] {
        type.fields.flatMap { field -> [SchemaField] in
            let others = type.fields.filter {
                field.oneof != nil && $0.oneof == field.oneof && $0.number != field.number
            }
            let own = SchemaField(
                depth: outer.count, name: field.jsonName,
                type: (field.isRepeated ? "repeated " : "") + text(of: field.kind),
                isSecret: field.isSecret, alternatives: others.map(\.jsonName))
            let path = outer + [type.name]
            return [own] + (inner(field.kind, path).map { fields(of: $0, within: path) } ?? [])
        }
    }

    private func text(of kind: FieldType.Kind) -> String {
        switch kind {
        case .message(let name): shortName(name)
        case .enumeration(let name):
            "\(shortName(name)): \(enumValues(name).map(\.name).joined(separator: " | "))"
        default: "\(kind)"
        }
    }

    private func shortName(_ name: String) -> String {
        String(name[(name.lastIndex(of: ".").map { name.index(after: $0) } ?? name.startIndex)...])
    }

    private func enumValues(_ name: String) -> [(number: Int32, name: String)] {
        (schema.enums[name]?.names ?? [:]).sorted { $0.key < $1.key }
            .map { (number: $0.key, name: $0.value) }
    }

    /// The type of a message field; nil for another field, and where a type contains itself.
    private func inner(_ kind: FieldType.Kind, _ path: [String]) -> MessageType? {
        guard case .message(let name) = kind, !path.contains(name),
            path.count < Self.outlineDepthMax
        else { return nil }
        return schema.messages[name]
    }

    /// A JSON object to start from, which `encodeJSON` accepts: a placeholder for each field, one
    /// element in each repeated field, the first field of each oneof, `…` for a secret.
    package func skeleton(pretty isPretty: Bool) -> String {
        JSONWriter.text(.object(placeholders(type, within: [])), .shown, pretty: isPretty)
    }

    private func placeholders(_ type: MessageType, within outer: [String]) -> JSONObject {
        var object = JSONObject()
        var oneofs: Set<Int> = []
        for field in type.fields {
            if let oneof = field.oneof, !oneofs.insert(oneof).inserted { continue }
            let value = placeholder(field, outer + [type.name])
            _ = object.add(field.jsonName, field.isRepeated ? .array([value]) : value)
        }
        return object
    }

    private func placeholder(_ field: FieldType, _ path: [String]) -> JSONValue {
        switch field.kind {
        case .message:
            .object(inner(field.kind, path).map { placeholders($0, within: path) } ?? [:])
        case .enumeration(let name):
            .string(
                (enumValues(name).first { $0.number > 0 } ?? enumValues(name).first)?.name ?? "")
        case .string: .string(field.isSecret ? "…" : "text")
        case .bytes: .string("AA==")
        case .bool: .boolean(false)
        default: .integer(0)
        }
    }
}
