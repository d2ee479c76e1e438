import JSON

/// Decodes a message of a type in the schema to a JSON object.
struct MessageToJSON {
    let schema: Schema

    /// Decodes `parts`, which together encode one message of `type`: if a field that is not
    /// repeated appears several times, its messages are merged, which is the same as reading their
    /// parts in sequence.
    /// - Throws: `MappingError` for bytes that are not a message of `type`.
    func tree(
        _ type: MessageType, _ parts: [ArraySlice<UInt8>], _ path: JSONPath
    ) throws(MappingError) -> JSONValue {
        guard path.depth <= SchemaMessage.depthMax else {
            throw MappingError("nested too deep", at: path)
        }
        let values = try collected(type, parts, path)
        var members: [JSONObject.Member] = []
        for (index, found) in values.enumerated() where !found.isEmpty {
            let field = type.fields[index]
            if let value = try value(field, found, path.member(field.jsonName)) {
                members.append(JSONObject.Member(name: field.jsonName, value: value))
            }
        }
        // protoc refuses two fields of one JSON name in a message.
        return .object(JSONObject(unique: members))
    }

    /// The values of each known field, by its index. The last member of a oneof is used.
    private func collected(
        _ type: MessageType, _ parts: [ArraySlice<UInt8>], _ path: JSONPath
    ) throws(MappingError) -> [[ScannedValue]] {
        var values = [[ScannedValue]](repeating: [], count: type.fields.count)
        var chosen: [Int: Int] = [:]
        for part in parts {
            var scanner = FieldScanner(part)
            while let field = try next(&scanner, path) {
                guard let index = type.index(number: field.number) else { continue }
                if let oneof = type.fields[index].oneof,
                    let other = chosen.updateValue(index, forKey: oneof), other != index
                {
                    values[other] = []
                }
                values[index].append(field.value)
            }
        }
        return values
    }

    private func next(
        _ scanner: inout FieldScanner, _ path: JSONPath
    ) throws(MappingError) -> FieldScanner.Field? {
        do {
            return try scanner.next()
        } catch {
            throw MappingError("not a protobuf message", at: path)
        }
    }

    /// The value of a field; nil for a default, which is left out.
    private func value(
        _ field: FieldType, _ values: [ScannedValue], _ path: JSONPath
    ) throws(MappingError) -> JSONValue? {
        if field.isRepeated { return try array(field, values, path) }
        if case .message(let name) = field.kind { return try message(name, values, path) }
        guard let last = values.last else { return nil }
        let scalar = ScalarToJSON(kind: field.kind, path: path, schema: schema)
        let tree = try scalar.tree(last)
        return !field.hasPresence && scalar.isDefault(last) ? nil : tree
    }

    private func array(
        _ field: FieldType, _ values: [ScannedValue], _ path: JSONPath
    ) throws(MappingError) -> JSONValue? {
        let scalar = ScalarToJSON(kind: field.kind, path: path, schema: schema)
        var elements: [JSONValue] = []
        for value in values {
            if case .message(let name) = field.kind {
                elements.append(try message(name, [value], path.element(elements.count)))
            } else if field.kind.isPackable, case .bytes(let packed) = value {
                elements += try scalar.unpacked(packed)
            } else {
                elements.append(try scalar.tree(value))
            }
        }
        return elements.isEmpty ? nil : .array(elements)
    }

    private func message(
        _ name: String, _ values: [ScannedValue], _ path: JSONPath
    ) throws(MappingError) -> JSONValue {
        guard let type = schema.messages[name] else {
            throw MappingError("the schema lacks \(name)", at: path)
        }
        var parts: [ArraySlice<UInt8>] = []
        for value in values {
            guard case .bytes(let part) = value else {
                throw MappingError("not a message", at: path)
            }
            parts.append(part)
        }
        return try tree(type, parts, path)
    }
}
