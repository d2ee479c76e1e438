import JSON

/// The parts of a request that its caller signs (I-07), made from the descriptor by one rule for
/// all requests: one part for each field, in the order of their numbers.
///
///     the field                                        its part
///     absent; without presence: has its default;       a byte 0
///     a list without elements
///     any other                                        a byte 1, and of its value:
///       text                                           the text as it is
///       number                                         in decimal, as in JSON
///       bool                                           "true" or "false"
///       enum                                           the value's name; its number if it has none
///       bytes                                          base64, as in JSON
///       list, message                                  JSON without blanks
///
/// A secret is a text too. It is copied in no other form than its part, which the caller wipes.
///
/// JSON is that of proto3: names in lowerCamelCase, members in the order of their numbers, those
/// with their default left out, 64-bit numbers as texts. Texts are escaped as RFC 8785 does. There
/// are no maps: `Schema` refuses them.
///
/// Attack: a gateway that was taken over changes a field, or moves text from one field to the next.
/// Each part has the length of its value before it (`DelimitedParts`), and an absent field has a
/// part too, so no two requests have the same parts. A field that the schema does not know is in no
/// part, and in no value that the service reads.
///
/// A field that a request gains later is a further part of every token, so it needs a new first part
/// beside the former one (`BackendRule.label`): backends of before do not sign it.
package struct SignedParts: Sendable {
    private static let (absent, present): (UInt8, UInt8) = (0, 1)

    private let message: SchemaMessage
    /// All but the one that has the signature.
    private let fields: [FieldType]
    /// The numbers of what is not read as JSON.
    private let secrets: Set<Int>
    private let proofs: Set<Int>

    /// The rule for requests of a type.
    /// - Parameter proof: the full name of the message that has the signature itself; the field of
    ///   that type has no part.
    package init(of message: SchemaMessage, without proof: String) {
        self.message = message
        let all = message.type.fields
        proofs = Set(all.filter { $0.isOf(proof) }.map(\.number))
        secrets = Set(all.filter(\.isSecret).map(\.number))
        fields = all.filter { !$0.isOf(proof) }
    }

    /// The parts of an encoded request.
    /// - Throws: `MappingError` for bytes that are not a message of the type.
    package func parts(of request: [UInt8]) throws(MappingError) -> [[UInt8]] {
        let (rest, hidden) = try split(request)
        let tree = try MessageToJSON(schema: message.schema).tree(
            message.type, [rest[...]], JSONPath())
        return fields.map { field in
            guard field.isSecret else { return Self.part(tree.object?[field.jsonName]) }
            guard let secret = hidden[field.number], field.hasPresence || !secret.isEmpty else {
                return [Self.absent]
            }
            return [Self.present] + secret
        }
    }

    /// An encoded request without its proof and its secrets, and the secrets by their numbers. Of a
    /// field that occurs several times the last one counts, as in a decoder.
    private func split(
        _ request: [UInt8]
    ) throws(MappingError) -> (rest: [UInt8], secrets: [Int: ArraySlice<UInt8>]) {
        var (rest, found) = (FieldWriter(), [Int: ArraySlice<UInt8>]())
        var scanner = FieldScanner(request[...])
        do throws(MessageError) {
            while let field = try scanner.next() {
                if proofs.contains(field.number) { continue }
                if secrets.contains(field.number), case .bytes(let secret) = field.value {
                    found[field.number] = secret
                } else {
                    rest.append(field.number, field.value)
                }
            }
        } catch {
            throw MappingError("not a protobuf message")
        }
        return (rest.bytes, found)
    }

    /// - Parameter value: as the JSON of proto3 has it; nil for what that leaves out.
    private static func part(_ value: JSONValue?) -> [UInt8] {
        switch value {
        case nil: [absent]
        // Also 64-bit numbers, enums and bytes.
        case .string(let text): [present] + Array(text.utf8)
        case .some(let value): [present] + JSONWriter.bytes(value, .canonical)
        }
    }
}

extension FieldType {
    /// Whether it is of a message type, by its full name.
    fileprivate func isOf(_ type: String) -> Bool {
        if case .message(let name) = kind { name == type } else { false }
    }
}
