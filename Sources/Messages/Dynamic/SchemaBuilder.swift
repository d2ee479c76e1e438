/// Collects the types of a serialised `google.protobuf.FileDescriptorSet`. The field numbers are
/// those of `google/protobuf/descriptor.proto`; fields that are not needed are skipped.
struct SchemaBuilder {
    /// Maximum nesting of types; ours are not nested.
    private static let depthMax = 16

    private(set) var messages: [String: MessageType] = [:]
    private(set) var enums: [String: EnumType] = [:]
    private(set) var methods: [String: MethodType] = [:]

    /// `FileDescriptorSet`: file = 1.
    mutating func addSet(_ bytes: ArraySlice<UInt8>) throws {
        for file in try DescriptorFields(bytes).messages(1) { try addFile(file) }
    }

    /// `FileDescriptorProto`: package = 2, message_type = 4, enum_type = 5, service = 6,
    /// syntax = 12.
    private mutating func addFile(_ file: DescriptorFields) throws {
        let package = try file.text(2)
        let scope = Scope(
            prefix: package.isEmpty ? "" : package + ".",
            isProto3: try file.text(12) == "proto3", depth: 0)
        for message in try file.messages(4) { try addMessage(message, scope) }
        for type in try file.messages(5) { try addEnum(type, scope) }
        for service in try file.messages(6) { try addService(service, scope) }
    }

    /// `DescriptorProto`: name = 1, field = 2, nested_type = 3, enum_type = 4.
    private mutating func addMessage(_ message: DescriptorFields, _ scope: Scope) throws {
        guard scope.depth < Self.depthMax else { throw SchemaError.tooDeep }
        let name = scope.prefix + (try message.text(1))
        let inner = Scope(prefix: name + ".", isProto3: scope.isProto3, depth: scope.depth + 1)
        for nested in try message.messages(3) { try addMessage(nested, inner) }
        for type in try message.messages(4) { try addEnum(type, inner) }
        let isMapEntry = try message.messages(7).contains { try $0.number(7) == 1 }
        if isMapEntry { throw SchemaError.unsupported(field: name) }
        let fields = try message.messages(2).map {
            try FieldType($0, message: name, isProto3: scope.isProto3)
        }.sorted { $0.number < $1.number }
        messages[name] = MessageType(name: name, fields: fields)
    }

    /// `EnumDescriptorProto`: name = 1, value = 2 with name = 1, number = 2.
    private mutating func addEnum(_ type: DescriptorFields, _ scope: Scope) throws {
        let name = scope.prefix + (try type.text(1))
        let values = try type.messages(2).map {
            (name: try $0.text(1), number: Int32(truncatingIfNeeded: try $0.number(2) ?? 0))
        }
        enums[name] = EnumType(values)
    }

    /// `ServiceDescriptorProto`: name = 1, method = 2 with name = 1, input_type = 2,
    /// output_type = 3, options = 4, client_streaming = 5, server_streaming = 6.
    private mutating func addService(_ service: DescriptorFields, _ scope: Scope) throws {
        let name = scope.prefix + (try service.text(1))
        for method in try service.messages(2) {
            methods[name + "/" + (try method.text(1))] = MethodType(
                input: withoutLeadingDot(try method.text(2)),
                output: withoutLeadingDot(try method.text(3)),
                hasRequestItems: try method.number(5) == 1,
                hasResponseItems: try method.number(6) == 1,
                options: try SchemaMethod.Options(method.messages(4)))
        }
    }

    /// Checks that every type name is declared.
    /// - Throws: `SchemaError.unknownType`.
    func checkNames() throws(SchemaError) {
        for field in messages.values.lazy.flatMap(\.fields) {
            switch field.kind {
            case .message(let name) where messages[name] == nil: throw .unknownType(name)
            case .enumeration(let name) where enums[name] == nil: throw .unknownType(name)
            default: break
            }
        }
        for name in methods.values.lazy.flatMap({ [$0.input, $0.output] })
        where messages[name] == nil {
            throw .unknownType(name)
        }
    }

    /// The scope of a declaration.
    private struct Scope {
        let prefix: String
        let isProto3: Bool
        let depth: Int
    }
}

/// `.postern.gateway.v1.Session` → `postern.gateway.v1.Session`.
func withoutLeadingDot(_ name: String) -> String {
    name.hasPrefix(".") ? String(name.dropFirst()) : name
}
