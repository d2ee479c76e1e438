import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// Our options of a field (`postern/options/v1/options.proto`), read like a method's.
struct FieldOptions {
    var isSecret = false

    init(_ field: FieldDescriptor) {
        var bytes = OptionBytes(field.options.unknownFields.data, of: field.fullName)
        while let (number, value) = bytes.next() {
            switch number {
            case 50_001: isSecret = value != 0
            default: fatalError("\(field.fullName): unknown option \(number)")
            }
        }
    }
}

extension Descriptor {
    /// Whether it or a message in it has a secret field. No message holds itself (`Restrictions`).
    var hasSecrets: Bool {
        fields.contains { FieldOptions($0).isSecret || $0.messageType?.hasSecrets == true }
    }
}
