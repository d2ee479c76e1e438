import SwiftProtobufPluginLibrary

/// The Swift value of one message.
///
/// Its optional properties are declared as `Optional<T>`. A `var` of type `T?` is nil before the
/// initializer sets it; then the compiler takes the message for one that changes, and copies it out
/// of its initializer, with a retain and a release of each of its strings.
struct MessageCode {
    let message: Descriptor
    let fieldsOutsideOneofs: [FieldCode]

    init(_ message: Descriptor) {
        self.message = message
        fieldsOutsideOneofs = message.fields.filter { $0.oneofIndex == nil }.map(FieldCode.init)
    }

    var text: String { value + "\n" + MessageWireCode(self).text }

    /// The stored properties, in the order of the initializer.
    var properties: [String] {
        fieldsOutsideOneofs.map(\.name) + message.oneofs.map { lowerCamel($0.name) }
    }

    private var access: String { message.file.access }

    private var value: String {
        var text = "extension \(message.file.namespace) {\n"
        text += docComment(message.protoSourceComments(commentPrefix: ""), indent: "    ")
        text += "    \(access) struct \(message.name): Hashable, Sendable {\n"
        for field in fieldsOutsideOneofs {
            text += docComment(
                field.field.protoSourceComments(commentPrefix: ""), indent: "        ")
            text += "        \(access) var \(escaped(field.name)): \(field.storedType)\n"
        }
        for oneof in message.oneofs { text += declaration(oneof) }
        text += initializer + "    }\n}\n"
        return text
    }

    private func declaration(_ oneof: OneofDescriptor) -> String {
        let comment = docComment(oneof.protoSourceComments(commentPrefix: ""), indent: "        ")
        let type = upperCamel(oneof.name)
        var text = comment
        text += "        \(access) var \(escaped(lowerCamel(oneof.name))): Optional<\(type)>\n\n"
        text += comment
        text += "        \(access) enum \(type): Hashable, Sendable {\n"
        for field in oneof.fields {
            let code = FieldCode(field)
            text += docComment(field.protoSourceComments(commentPrefix: ""), indent: "            ")
            text += "            case \(escaped(code.name))(\(code.element))\n"
        }
        return text + "        }\n"
    }

    private var initializer: String {
        var parameters = fieldsOutsideOneofs.map {
            "\(escaped($0.name)): \($0.type) = \($0.defaultValue)"
        }
        parameters += message.oneofs.map {
            "\(escaped(lowerCamel($0.name))): \(upperCamel($0.name))? = nil"
        }
        var text = parameters.isEmpty ? "" : "\n"
        text += "        /// A message of these fields.\n        \(access) init("
        if !parameters.isEmpty {
            let lines = parameters.joined(separator: ",\n            ")
            text += "\n            \(lines)\n        "
        }
        text += ") {\n"
        for property in properties {
            text += "            self.\(property) = \(escaped(property))\n"
        }
        return text + "        }\n"
    }
}
