import JSON

/// Encodes a JSON object as a message of a type in the schema.
struct MessageFromJSON {
    let schema: Schema
    /// Whether a field that the type does not have is skipped; otherwise it is an error.
    let ignoresUnknownFields: Bool

    /// The encoded message of `type` for `tree`.
    /// - Throws: `MappingError` for an unknown field or a value that does not fit.
    func bytes(
        _ type: MessageType, _ tree: JSONValue, _ path: JSONPath
    ) throws(MappingError) -> [UInt8] {
        guard path.depth <= SchemaMessage.depthMax else {
            throw MappingError("nested too deep", at: path)
        }
        guard case .object(let object) = tree else {
            throw MappingError("an object is needed, not \(tree.kind)", at: path)
        }
        let values = try assigned(object.members, type, path)
        var writer = FieldWriter()
        for (index, member) in values.enumerated() {
            guard let member else { continue }
            try write(type.fields[index], member.value, path.member(member.name), to: &writer)
        }
        return writer.bytes
    }

    /// The member of each field of `type`, which are sorted by number. A field may appear once, and
    /// only one field of a oneof.
    private func assigned(
        _ members: [JSONObject.Member], _ type: MessageType, _ path: JSONPath
    ) throws(MappingError) -> [JSONObject.Member?] {
        var values = [JSONObject.Member?](repeating: nil, count: type.fields.count)
        var oneofs: [Int: String] = [:]
        for member in members {
            guard let index = type.index(named: member.name) else {
                if ignoresUnknownFields { continue }
                throw MappingError("\(type.name) has no such field", at: path.member(member.name))
            }
            if case .null = member.value { continue }
            if let other = values[index] {
                throw MappingError(
                    "is the same field as \"\(other.name)\"", at: path.member(member.name))
            }
            values[index] = member
            if let oneof = type.fields[index].oneof,
                let other = oneofs.updateValue(member.name, forKey: oneof)
            {
                throw MappingError(
                    "cannot stand beside \"\(other)\"", at: path.member(member.name))
            }
        }
        return values
    }

    private func write(
        _ field: FieldType, _ tree: JSONValue, _ path: JSONPath, to writer: inout FieldWriter
    ) throws(MappingError) {
        guard field.isRepeated else {
            let value = try value(field.kind, tree, path)
            if field.hasPresence || !value.isDefault { writer.append(field.number, value) }
            return
        }
        guard case .array(let elements) = tree else {
            throw MappingError("an array is needed, not \(tree.kind)", at: path)
        }
        var packed = FieldWriter()
        for (index, element) in elements.enumerated() {
            let value = try value(field.kind, element, path.element(index))
            if field.kind.isPackable {
                packed.append(value)
            } else {
                writer.append(field.number, value)
            }
        }
        if !packed.bytes.isEmpty { writer.append(field.number, .bytes(packed.bytes[...])) }
    }

    /// Encodes one value of `kind`.
    private func value(
        _ kind: FieldType.Kind, _ tree: JSONValue, _ path: JSONPath
    ) throws(MappingError) -> ScannedValue {
        switch kind {
        case .message(let name):
            guard let type = schema.messages[name] else {
                throw MappingError("the schema lacks \(name)", at: path)
            }
            return .bytes(try bytes(type, tree, path)[...])
        case .enumeration(let name):
            return .varint(UInt64(bitPattern: Int64(try number(of: tree, in: name, path))))
        default:
            return try ScalarFromJSON(tree: tree, path: path).value(kind)
        }
    }

    private func number(
        of tree: JSONValue, in enumName: String, _ path: JSONPath
    ) throws(MappingError) -> Int32 {
        guard case .string(let name) = tree else {
            return try ScalarFromJSON(tree: tree, path: path).integer()
        }
        guard let number = schema.enums[enumName]?.numbers[name] else {
            let values = (schema.enums[enumName]?.choices ?? []).joined(separator: ", ")
            throw MappingError(
                "\(enumName) has no \"\(name)\"; its values are \(values)", at: path)
        }
        return number
    }
}

extension ScannedValue {
    /// Whether it is a proto3 default value, which is not written.
    fileprivate var isDefault: Bool {
        switch self {
        case .varint(let value), .fixed64(let value): value == 0
        case .fixed32(let value): value == 0
        case .bytes(let value): value.isEmpty
        }
    }
}
