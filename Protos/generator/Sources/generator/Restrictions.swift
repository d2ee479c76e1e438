import SwiftProtobufPluginLibrary

/// What protos may not use here, found before any code is written.
///
/// A message that holds itself would let a hostile peer choose the depth of libprotobuf-c's
/// recursion. The rest has no code yet: maps and nested types, `optional` (protoc-gen-c refuses
/// it; a oneof of one member says the same).
enum Restrictions {
    static func complaints(about files: [FileDescriptor]) -> [String] {
        var complaints: [String] = []
        for message in files.flatMap(\.messages) { complaints += Self.complaints(about: message) }
        for type in files.flatMap(\.enums) where type.options.allowAlias {
            complaints.append("\(type.fullName): allow_alias is not supported")
        }
        let services = files.flatMap(\.services)
        for method in services.flatMap(\.methods)
        where method.streams != .none && MethodOptions(method).isOnLoop {
            complaints.append("\(method.fullName): a stream waits, so it cannot be on_loop")
        }
        for service in services where service.file.package == "postern.gateway.v1" {
            for method in service.methods where MethodOptions(method).session == .unspecified {
                complaints.append("\(method.fullName): say what the session is to it (session)")
            }
        }
        for method in services.flatMap(\.methods) {
            let options = MethodOptions(method)
            if options.owner != nil, method.service.file.package != "postern.gateway.v1" {
                complaints.append("\(method.fullName): only the gateway passes calls on (owner)")
            }
            if options.limit != nil, options.owner == nil {
                complaints.append("\(method.fullName): limit needs an owner")
            }
            // It is about an account, and the gateway knows no other than the session's, and that
            // which a backend names.
            if let limit = options.limit,
                ![.passwordCheck, .push, .backendAccount].contains(limit),
                ![.required, .optional].contains(options.session)
            {
                complaints.append("\(method.fullName): this limit needs a session")
            }
            if options.limit == .push || options.limit == .backendAccount, !isOfBackend(method) {
                complaints.append("\(method.fullName): this limit needs a BackendCall")
            }
            // The relay charges a stream by its first item.
            if let limit = options.limit {
                let isOfUpload = [.photoUpload, .guestBundle].contains(limit)
                if isOfUpload ? !method.clientStreaming : method.streams != .none {
                    complaints.append("\(method.fullName): only an upload is a stream with a limit")
                }
            }
        }
        // One line of a .proto must not make an operators' method reachable from any browser.
        for service in services {
            for method in service.methods
            where MethodOptions(method).isPublic
                && (service.name == "Admin" || MethodOptions(method).isForNamedCallersOnly)
            {
                complaints.append("\(method.fullName): an operators' method cannot be public")
            }
        }
        for (name, same) in Dictionary(grouping: services, by: \.name) where same.count > 1 {
            complaints.append("several services are named \(name); so would be their code")
        }
        // A message that holds itself would be walked through without end.
        guard complaints.isEmpty else { return complaints }
        for method in services.flatMap(\.methods)
        where method.outputType.hasSecrets
            || method.streams != .none && method.inputType.hasSecrets
        {
            complaints.append(
                "\(method.fullName): a secret stands in the request of a unary method only")
        }
        return complaints
    }

    /// Whether its request has a backend's proof.
    private static func isOfBackend(_ method: MethodDescriptor) -> Bool {
        method.inputType.fields.contains {
            $0.messageType?.fullName == "postern.gateway.v1.BackendCall"
        }
    }

    private static func complaints(about message: Descriptor) -> [String] {
        var complaints: [String] = []
        if holdsItself(message) { complaints.append("\(message.fullName) holds itself") }
        if !message.messages.isEmpty || !message.enums.isEmpty {
            complaints.append("\(message.fullName): declare nested types (and maps) at the top")
        }
        for field in message.fields {
            if field.oneofIndex != nil, field.realContainingOneof == nil {
                complaints.append("\(field.fullName): use a oneof of one member, not optional")
            }
            if !hasWireCode(field) {
                complaints.append("\(field.fullName): WireFieldCode has no code for its type")
            }
            if FieldOptions(field).isSecret, field.type != .string || field.isRepeated {
                complaints.append("\(field.fullName): a secret is a string, and one")
            }
            if ["c", "arena", "base", "self", "init", "reader", "sink"].contains(field.name) {
                complaints.append("\(field.fullName): the generated code needs that name")
            }
        }
        for oneof in message.oneofs where ["self", "type", "protocol"].contains(oneof.name) {
            complaints.append("\(oneof.fullName): Swift keeps that name for itself")
        }
        return complaints
    }

    private static func hasWireCode(_ field: FieldDescriptor) -> Bool {
        switch field.type {
        case .string, .bytes, .message, .enum, .int32, .int64, .uint32, .uint64: true
        case .bool: !field.isRepeated
        default: false
        }
    }

    private static func holdsItself(_ message: Descriptor) -> Bool {
        var seen: Set<String> = []
        var waiting = message.fields.compactMap(\.messageType)
        while let next = waiting.popLast() {
            if next.fullName == message.fullName { return true }
            if seen.insert(next.fullName).inserted {
                waiting += next.fields.compactMap(\.messageType)
            }
        }
        return false
    }
}
