/// The types in a `google.protobuf.FileDescriptorSet`, for callers that learn them only at run
/// time: a tool that calls any method by its name with JSON.
///
/// It supports what Postern's own protos use: scalars, enums, messages, repeated fields, oneofs.
/// Maps and groups are rejected when the schema is read. The well-known types of `google.protobuf`
/// have no special JSON form here; they are treated like other messages.
package final class Schema: Sendable {
    /// Size limit of a set, in bytes: what fits in one response of the reflection service.
    package static let setBytesMax = 1024 * 1024

    let messages: [String: MessageType]
    let enums: [String: EnumType]
    private let methods: [String: MethodType]

    /// Reads a serialised set. Unresolved type names are found now, not when they are used.
    /// - Throws: `SchemaError`.
    package init(fileDescriptorSet bytes: [UInt8]) throws(SchemaError) {
        guard bytes.count <= Self.setBytesMax else { throw .tooLarge }
        var builder = SchemaBuilder()
        do {
            try builder.addSet(bytes[...])
        } catch let error as SchemaError {
            throw error
        } catch {
            throw .malformed  // any other decoding error
        }
        try builder.checkNames()
        messages = builder.messages
        enums = builder.enums
        methods = builder.methods
    }

    /// Names of all methods, `postern.session.v1.Sessions/CreateSession`, sorted.
    package var methodNames: [String] { methods.keys.sorted() }

    /// The message with that full name, for example `postern.gateway.v1.Session`.
    package func message(named name: String) -> SchemaMessage? {
        messages[name].map { SchemaMessage(schema: self, type: $0) }
    }

    /// The method with that name, for example `postern.session.v1.Sessions/CreateSession`.
    package func method(named name: String) -> SchemaMethod? {
        guard let method = methods[name], let input = message(named: method.input),
            let output = message(named: method.output)
        else { return nil }
        return SchemaMethod(
            name: name, input: input, output: output, hasRequestItems: method.hasRequestItems,
            hasResponseItems: method.hasResponseItems, options: method.options)
    }
}

/// A method and its two message types.
package struct SchemaMethod: Sendable {
    /// `postern.session.v1.Sessions/CreateSession`.
    package let name: String
    /// The request type.
    package let input: SchemaMessage
    /// The response type.
    package let output: SchemaMessage
    /// Whether the client sends a stream of items.
    package let hasRequestItems: Bool
    /// Whether the server sends a stream of items.
    package let hasResponseItems: Bool
    /// Our options.
    package let options: Options

    /// The options of `postern/options/v1/options.proto`.
    package struct Options: Hashable, Sendable {
        /// Sending the call twice has the same effect as sending it once.
        package let isIdempotent: Bool
        /// The timeout of a call that sets none. 0 for the default of its kind.
        package let timeoutMilliseconds: UInt64
        /// The handler runs on the connection's event loop.
        package let isOnLoop: Bool
        /// When a client sends the call to a second server too. 0 for never.
        package let hedgeAfterMilliseconds: UInt64
        /// Its calls have their own limit on running handlers.
        package let isCostly: Bool
        /// Only callers whose entry names the method or its service may call it.
        package let isForNamedCallersOnly: Bool
        /// What the session is in whose name it is called.
        package let session: Session
        /// Browsers and phones may call it through the web service.
        package let isPublic: Bool
        /// Calling it changes nothing (`idempotency_level = NO_SIDE_EFFECTS`).
        package let hasNoSideEffects: Bool
    }

    /// `postern.options.v1.Session`.
    package enum Session: UInt64, Sendable {
        /// The method is not one of the gateway.
        case unspecified
        /// It is not read.
        case none
        /// The call may be made outside a session.
        case optional
        /// It must be live.
        case required
        /// Its access token may have expired.
        case anyAge
    }
}

/// Why a descriptor set cannot be used.
package enum SchemaError: Error, Hashable, Sendable {
    /// Not a descriptor set.
    case malformed
    /// More than 1 MiB.
    case tooLarge
    /// Types are nested too deeply.
    case tooDeep
    /// A field of a kind that Postern's protos do not use: a map or a group.
    case unsupported(field: String)
    /// A type that no file of the set declares.
    case unknownType(String)
}
