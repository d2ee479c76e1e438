import SwiftProtobufPluginLibrary

/// The way of one message from and to its C struct.
///
/// Reading is a function that collects the fields in constants and ends with the memberwise
/// initializer: a struct that is built up would be copied on its way out, and each copy retains
/// every string in it.
struct MessageGlue {
    private let code: MessageCode

    init(_ code: MessageCode) {
        self.code = code
    }

    private var message: Descriptor { code.message }

    var text: String {
        """
        extension \(message.swiftName): ProtobufMessage {
            package static var fullName: String { "\(message.fullName)" }

            package init(decoding bytes: UnsafeRawBufferPointer, in arena: Arena) throws {
                let c = try arena.unpack(bytes, \(message.cFunctions)__unpack)
                defer { arena.end() }
                try self.init(reading: c)
            }

            package func packed(in arena: Arena) -> PackedMessage {
                PackedMessage(of: placed(in: arena))
            }

            init(reading c: UnsafePointer<\(message.cName)>) throws {
        \(lines(reading))    }

            func placed(in arena: Arena) -> UnsafeMutablePointer<\(message.cName)> {
                let c = arena.room(for: \(message.cName).self)
                \(message.cFunctions)__init(c)
        \(lines(code.plain.flatMap(\.write) + message.oneofs.flatMap(writing)))        return c
            }
        }

        """
    }

    private var reading: [String] {
        code.plain.flatMap(\.read) + message.oneofs.flatMap(reading)
            + code.properties.map { "self.\($0) = \(escaped($0))" }
    }

    private func lines(_ lines: [String]) -> String {
        lines.map { "        \($0)\n" }.joined()
    }

    private func reading(_ oneof: OneofDescriptor) -> [String] {
        let name = escaped(lowerCamel(oneof.name))
        var lines = ["let \(name): \(upperCamel(oneof.name))?"]
        lines.append("switch c.pointee.\(oneof.name)_case.rawValue {")
        for field in oneof.fields {
            let code = FieldCode(field)
            let source = "c.pointee.\(code.cName)"
            let value = code.reading(code.isMessage ? "Wire.present(\(source))" : source)
            lines.append("case \(field.number): \(name) = .\(escaped(code.name))(\(value))")
        }
        return lines + ["default: \(name) = nil", "}"]
    }

    private func writing(_ oneof: OneofDescriptor) -> [String] {
        var lines = ["switch \(escaped(lowerCamel(oneof.name))) {"]
        for field in oneof.fields {
            let code = FieldCode(field)
            lines.append("case .\(escaped(code.name))(let value):")
            lines.append("    c.pointee.\(oneof.name)_case = .init(rawValue: \(field.number))")
            lines.append("    c.pointee.\(code.cName) = \(code.writing("value"))")
        }
        return lines + ["case nil: break", "}"]
    }
}
