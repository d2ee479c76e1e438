import JSON

/// A message type of a schema, with its mapping between JSON and the wire format.
///
/// The mapping is that of proto3 (https://protobuf.dev/programming-guides/json/): names in
/// lowerCamelCase (the names in the `.proto` are also accepted), bytes as base64, 64-bit numbers as
/// strings (numbers are also accepted), enums by name (numbers are also accepted), null for absent,
/// defaults omitted.
package struct SchemaMessage: Sendable {
    /// Maximum nesting of messages. A type of a hostile schema may contain itself.
    static let depthMax = 32
    /// Size limit of an encoded message, in bytes: no frame is larger.
    static let messageBytesMax = 1024 * 1024
    /// Size limit of a JSON text, in bytes: the largest message, its bytes as base64, indented.
    static let textBytesMax = 4 * 1024 * 1024
    /// Numbers keep their texts, since not all 64-bit integers fit in a `Double`. Each type limits
    /// its members.
    private static let jsonOptions = JSONReader.Options(
        depthMax: 64, membersMax: .max, retainsNumberTexts: true, acceptsNUL: true)

    let schema: Schema
    let type: MessageType

    /// The full name, for example `postern.gateway.v1.Session`.
    package var name: String { type.name }

    /// Encodes the message in `text`, a JSON object.
    /// - Throws: an error that names the field that is unknown or does not fit.
    package func encodeJSON(_ text: String) throws(MappingError) -> [UInt8] {
        try encodeJSON(Array(text.utf8), ignoresUnknownFields: false)
    }

    /// The same for a text in UTF-8. A server ignores unknown fields, as it does in the wire
    /// format, so that a newer client can call it; a tool refuses them, since they are misspelt.
    /// - Throws: an error that names the field that is unknown or does not fit.
    package func encodeJSON(
        _ text: [UInt8], ignoresUnknownFields: Bool
    ) throws(MappingError) -> [UInt8] {
        guard text.count <= Self.textBytesMax else {
            throw MappingError("the JSON text is over \(Self.textBytesMax) bytes")
        }
        let tree: JSONValue
        do {
            tree = try JSONReader.value(in: text, Self.jsonOptions)
        } catch {
            throw MappingError("\(error)")
        }
        return try MessageFromJSON(schema: schema, ignoresUnknownFields: ignoresUnknownFields)
            .bytes(type, tree, JSONPath())
    }

    /// Decodes the message to a JSON object. Fields that the schema does not have are omitted.
    /// - Throws: an error that names the field that does not fit.
    package func decodeToJSON(
        _ bytes: [UInt8], pretty isPretty: Bool = false
    ) throws(MappingError) -> String {
        String(decoding: try decodeToUTF8(bytes, pretty: isPretty), as: UTF8.self)
    }

    /// The same as a text in UTF-8.
    /// - Throws: an error that names the field that does not fit.
    package func decodeToUTF8(
        _ bytes: [UInt8], pretty isPretty: Bool = false
    ) throws(MappingError) -> [UInt8] {
        guard bytes.count <= Self.messageBytesMax else {
            throw MappingError("the message is over \(Self.messageBytesMax) bytes")
        }
        let tree = try MessageToJSON(schema: schema).tree(type, [bytes[...]], JSONPath())
        return JSONWriter.bytes(tree, .shown, pretty: isPretty)
    }
}
