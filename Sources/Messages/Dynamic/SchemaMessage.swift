/// A message type of a schema, and its way from JSON to the wire and back.
///
/// The mapping is proto3's (https://protobuf.dev/programming-guides/json/): names in
/// lowerCamelCase (those of the `.proto` are read too), bytes as base64, 64-bit numbers as strings
/// (numbers are read too), enums by name (numbers are read too), null for absent, defaults left out.
package struct SchemaMessage: Sendable {
    /// Messages within each other, at most. A hostile schema may hold itself.
    static let depthMax = 32
    /// Largest encoded message, in bytes: no frame is larger.
    static let messageBytesMax = 1024 * 1024

    let schema: Schema
    let type: MessageType

    /// `postern.session.v1.Tokens`.
    package var name: String { type.name }

    /// The message that `text`, a JSON object, stands for, encoded.
    /// - Throws: an error that names the field that is unknown or does not fit.
    package func encodeJSON(_ text: String) throws(MappingError) -> [UInt8] {
        let tree = try JSONParser.tree(of: text)
        return try MessageFromJSON(schema: schema).bytes(type, tree, JSONPath())
    }

    /// The encoded message as a JSON object. Fields that the schema does not know are left out.
    /// - Throws: an error that names the field that does not fit.
    package func decodeToJSON(
        _ bytes: [UInt8], pretty isPretty: Bool = false
    ) throws(MappingError) -> String {
        guard bytes.count <= Self.messageBytesMax else {
            throw MappingError("the message is over \(Self.messageBytesMax) bytes")
        }
        let tree = try MessageToJSON(schema: schema).tree(type, [bytes[...]], JSONPath())
        return JSONPrinter.text(of: tree, isPretty: isPretty)
    }
}
