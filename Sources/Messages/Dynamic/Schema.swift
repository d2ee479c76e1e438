/// The types that a `google.protobuf.FileDescriptorSet` describes, for callers that learn them only
/// while running: a tool that calls any method by its name with JSON.
///
/// Knows what Postern's own protos use: scalars, enums, messages, repeated fields, oneofs. Maps and
/// groups are refused when the schema is read. The well-known types of `google.protobuf` have no
/// JSON form of their own here; they are messages like others.
package struct Schema: Sendable {
    /// Largest set that is read, in bytes: what fits in one answer of the reflection service.
    package static let setBytesMax = 1024 * 1024

    let messages: [String: MessageType]
    let enums: [String: EnumType]
    private let methods: [String: MethodType]

    /// Reads a serialised set; unresolved names are found now, not when they are used.
    package init(fileDescriptorSet bytes: [UInt8]) throws(SchemaError) {
        guard bytes.count <= Self.setBytesMax else { throw .tooLarge }
        var builder = SchemaBuilder()
        do {
            try builder.addSet(bytes[...])
        } catch let error as SchemaError {
            throw error
        } catch {
            throw .malformed  // whatever is wrong with the bytes
        }
        try builder.checkNames()
        messages = builder.messages
        enums = builder.enums
        methods = builder.methods
    }

    /// Names of all methods, `postern.session.v1.Sessions/Refresh`, sorted.
    package var methodNames: [String] { methods.keys.sorted() }

    /// The message of that full name, `postern.session.v1.Tokens`.
    package func message(named name: String) -> SchemaMessage? {
        messages[name].map { SchemaMessage(schema: self, type: $0) }
    }

    /// The method of that name, `postern.session.v1.Sessions/Refresh`.
    package func method(named name: String) -> SchemaMethod? {
        guard let method = methods[name], let input = message(named: method.input),
            let output = message(named: method.output)
        else { return nil }
        return SchemaMethod(
            name: name, input: input, output: output, hasRequestItems: method.hasRequestItems,
            hasResponseItems: method.hasResponseItems)
    }
}

/// A method and its two messages.
package struct SchemaMethod: Sendable {
    /// `postern.session.v1.Sessions/Refresh`.
    package let name: String
    /// What it takes.
    package let input: SchemaMessage
    /// What it answers.
    package let output: SchemaMessage
    /// What it takes comes as a stream of items.
    package let hasRequestItems: Bool
    /// What it answers comes as a stream of items.
    package let hasResponseItems: Bool
}

/// Why a descriptor set cannot be used.
package enum SchemaError: Error, Hashable, Sendable {
    /// Not a descriptor set.
    case malformed
    /// More than 1 MiB.
    case tooLarge
    /// Types nested in types too deep.
    case tooDeep
    /// A field of a kind that Postern's protos do not use: a map or a group.
    case unsupported(field: String)
    /// A type that no file of the set declares.
    case unknownType(String)
}
