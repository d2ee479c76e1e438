import SwiftProtobufPluginLibrary

/// The way of one message from and to the wire.
///
/// Reading from the wire is a function that collects the fields in constants and returns what the
/// memberwise initializer makes of them: a struct that is built up would be copied on its way out,
/// and each copy retains every string in it.
struct MessageWireCode {
    private let code: MessageCode

    init(_ code: MessageCode) {
        self.code = code
    }

    private var message: Descriptor { code.message }

    var text: String {
        """
        extension \(message.swiftName): ProtobufMessage {
            package static var fullName: String { "\(message.fullName)" }
            package static var layout: MessageLayout { .init(\(message.cFunctions)__layout()) }

            package static func read(
                from reader: inout CanonicalReader
            ) throws(NonCanonicalEncoding) -> \(message.swiftName) {
        \(lines(oneofs + wire.flatMap(\.read) + returnStatement))    }

            package func write(to sink: inout some WireSink) {
        \(lines(wire.flatMap(\.write)))    }
        \(repeatedPart)}

        """
    }

    /// What two calls with one idempotency key must have in common, where that is not all of it. A
    /// oneof does not count if one of its members does not.
    private var repeatedPart: String {
        guard message.hasChangeableFields else { return "" }
        let cleared = code.fieldsOutsideOneofs.filter(\.field.repeatMayChange)
            .map { "part.\($0.name) = \($0.defaultValue)" }
        let nested = code.fieldsOutsideOneofs.filter {
            !$0.field.repeatMayChange && $0.field.messageType?.hasChangeableFields == true
        }.map {
            precondition(!$0.field.isRepeated, "\($0.field.fullName): not for repeated fields")
            return "part.\($0.name) = part.\($0.name)?.repeatedPart"
        }
        let oneofs = message.oneofs.filter { oneof in
            oneof.fields.contains {
                $0.repeatMayChange || $0.messageType?.hasChangeableFields == true
            }
        }.map { "part.\(lowerCamel($0.name)) = nil" }
        return """

                package var repeatedPart: \(message.swiftName) {
                    var part = self
            \(lines(cleared + nested + oneofs))        return part
                }

            """
    }

    /// The fields as the wire has them: by their numbers, those of a oneof among the others.
    private var wire: [WireFieldCode] {
        message.fields.sorted { $0.number < $1.number }.map(WireFieldCode.init)
    }

    private var oneofs: [String] {
        message.oneofs.map {
            "var \(escaped(lowerCamel($0.name))): \(upperCamel($0.name))?"
        }
    }

    private var returnStatement: [String] {
        let arguments = code.properties.map { "\($0): \(escaped($0))" }
        return ["return \(message.swiftName)(\(arguments.joined(separator: ", ")))"]
    }

    private func lines(_ lines: [String]) -> String {
        lines.map { "        \($0)\n" }.joined()
    }
}
