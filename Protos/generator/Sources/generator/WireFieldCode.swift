import SwiftProtobufPluginLibrary

/// The Swift code of one field's way from and to the wire, without libprotobuf-c.
struct WireFieldCode {
    private let field: FieldDescriptor
    private let code: FieldCode

    init(_ field: FieldDescriptor) {
        self.field = field
        code = FieldCode(field)
    }

    private var name: String { escaped(code.name) }

    /// What the reader and the sink call the field's type.
    private var kind: String {
        if code.isSecret { return "secret" }
        return switch field.type {
        case .string: "text"
        case .bytes: "bytes"
        case .message: "message"
        case .bool: "bool"
        case .uint32: "uint32"
        case .uint64: "uint64"
        case .int32, .enum: "int32"
        case .int64: "int64"
        default: fatalError("\(field.fullName): refused by Restrictions")
        }
    }

    private var isNumber: Bool { !["text", "secret", "bytes", "message"].contains(kind) }

    /// Number and wire type as they are on the wire. Repeated numbers lie in one field.
    private var tag: Int {
        Int(field.number) << 3 | (isNumber && !field.isRepeated ? 0 : 2)
    }

    // MARK: Reading

    /// The statements that read the field where it is next: into a constant of its name, or into
    /// its oneof's variable.
    var read: [String] {
        if let oneof = field.containingOneof {
            return [
                "if reader.tag == \(tag) {",
                "    \(escaped(lowerCamel(oneof.name))) = .\(name)(\(member))",
                "}",
            ]
        }
        return ["let \(name)\(annotation) = \(field.isRepeated ? repeated : single)"]
    }

    private var annotation: String {
        code.isMessage ? ": \(code.type)" : ""
    }

    private var single: String {
        field.type == .enum
            ? "try \(code.element)(rawValue: reader.int32(\(tag)))"
            : "try reader.\(kind)(\(tag))"
    }

    private var member: String { code.isMessage ? "try reader.nested()" : single }

    private var repeated: String {
        switch kind {
        case "text": "try reader.texts(\(tag))"
        case "bytes": "try reader.byteArrays(\(tag))"
        case "message": "try reader.messages(\(tag))"
        default: "try reader.numbers(\(tag)) { \(number("$0")) }"
        }
    }

    private func number(_ source: String) -> String {
        switch field.type {
        case .enum: "\(code.element)(rawValue: Int32(truncatingIfNeeded: \(source)))"
        default: "\(code.element)(truncatingIfNeeded: \(source))"
        }
    }

    // MARK: Writing

    /// The statements that write the field, where it has something to say.
    var write: [String] {
        if field.isRepeated { return repeatedWrite }
        if let oneof = field.containingOneof {
            let property = escaped(lowerCamel(oneof.name))
            return [
                "if case .\(name)(let value) = \(property) {", "    \(sink("value"))", "}",
            ]
        }
        if code.isMessage { return ["if let \(name) { \(sink(name)) }"] }
        return ["if \(isSet) { \(sink(name)) }"]
    }

    /// Whether a field without presence is other than its default.
    private var isSet: String {
        switch kind {
        case "text", "secret", "bytes": "!\(name).isEmpty"
        case "bool": name
        default: field.type == .enum ? "\(name).rawValue != 0" : "\(name) != 0"
        }
    }

    private func sink(_ value: String) -> String {
        "sink.\(kind)(\(tag), \(value)\(field.type == .enum ? ".rawValue" : ""))"
    }

    private var repeatedWrite: [String] {
        guard isNumber else { return ["for value in \(name) { \(sink("value")) }"] }
        let value = field.type == .enum ? "Int64($0.rawValue)" : "$0"
        return [
            "if !\(name).isEmpty {",
            "    sink.numbers(\(tag), \(name).map { UInt64(truncatingIfNeeded: \(value)) })",
            "}",
        ]
    }
}
