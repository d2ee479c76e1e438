import Messages

/// Writes a `google.protobuf.FileDescriptorProto` for the standard services that this program
/// implements itself. The field numbers are those of `google/protobuf/descriptor.proto`.
struct DescriptorWriter {
    private var file = FieldWriter()
    private let package: String

    /// A field of a message.
    struct Field {
        let number: UInt64
        let name: String
        let type: Kind
        var isRepeated = false
        var isInOneof = false
    }

    /// The type of a field, by `FieldDescriptorProto.Type`.
    enum Kind {
        case int32, string, bytes
        /// A message or an enum of the same package.
        case message(String)
        case enumeration(String)
    }

    init(_ name: String, package: String) {
        self.package = package
        file.append(1, .text(name))
        file.append(2, .text(package))
        file.append(12, .text("proto3"))
    }

    /// A serialised `FileDescriptorSet` of the file alone.
    var fileSet: [UInt8] {
        var set = FieldWriter()
        set.append(1, .bytes(file.bytes[...]))
        return set.bytes
    }

    /// Adds a message. `values` are those of an enum in it, from 0.
    mutating func message(
        _ name: String, _ fields: [Field], oneof: String? = nil,
        enumeration: (name: String, values: [String])? = nil
    ) {
        var message = FieldWriter()
        message.append(1, .text(name))
        for field in fields { message.append(2, descriptor(field)) }
        if let enumeration {
            var type = FieldWriter()
            type.append(1, .text(enumeration.name))
            for (number, value) in enumeration.values.enumerated() {
                var descriptor = FieldWriter()
                descriptor.append(1, .text(value))
                descriptor.append(2, .varint(UInt64(number)))
                type.append(2, .bytes(descriptor.bytes[...]))
            }
            message.append(4, .bytes(type.bytes[...]))
        }
        if let oneof {
            var descriptor = FieldWriter()
            descriptor.append(1, .text(oneof))
            message.append(8, .bytes(descriptor.bytes[...]))
        }
        file.append(4, .bytes(message.bytes[...]))
    }

    /// Adds a service with its methods.
    mutating func service(_ name: String, _ methods: [Method]) {
        var service = FieldWriter()
        service.append(1, .text(name))
        for method in methods {
            var descriptor = FieldWriter()
            descriptor.append(1, .text(method.name))
            descriptor.append(2, .text(".\(package).\(method.input)"))
            descriptor.append(3, .text(".\(package).\(method.output)"))
            if method.hasRequestItems { descriptor.append(5, .varint(1)) }
            if method.hasResponseItems { descriptor.append(6, .varint(1)) }
            service.append(2, .bytes(descriptor.bytes[...]))
        }
        file.append(6, .bytes(service.bytes[...]))
    }

    /// A method of a service.
    struct Method {
        let name: String
        let input: String
        let output: String
        var hasRequestItems = false
        var hasResponseItems = false
    }

    private func descriptor(_ field: Field) -> ScannedValue {
        var descriptor = FieldWriter()
        descriptor.append(1, .text(field.name))
        descriptor.append(3, .varint(field.number))
        descriptor.append(4, .varint(field.isRepeated ? 3 : 1))
        let (type, typeName): (UInt64, String?) =
            switch field.type {
            case .int32: (5, nil)
            case .string: (9, nil)
            case .bytes: (12, nil)
            case .message(let name): (11, name)
            case .enumeration(let name): (14, name)
            }
        descriptor.append(5, .varint(type))
        if let typeName { descriptor.append(6, .text(".\(package).\(typeName)")) }
        if field.isInOneof { descriptor.append(9, .varint(0)) }
        descriptor.append(10, .text(Self.jsonName(field.name)))
        return .bytes(descriptor.bytes[...])
    }

    /// `list_services` → `listServices`.
    private static func jsonName(_ name: String) -> String {
        let words = name.split(separator: "_")
        return
            (words.prefix(1) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() })
            .joined()
    }
}
