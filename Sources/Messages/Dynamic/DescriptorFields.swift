/// The fields of one descriptor message, by number.
package struct DescriptorFields {
    private var values: [Int: [ScannedValue]] = [:]

    /// The fields of the descriptor that `bytes` encode.
    /// - Throws: `MessageError.malformed`.
    package init(_ bytes: ArraySlice<UInt8>) throws {
        var scanner = FieldScanner(bytes)
        while let field = try scanner.next() {
            values[field.number, default: []].append(field.value)
        }
    }

    /// The last string of field `number`, or "".
    /// - Throws: `MessageError.malformed` for another type.
    package func text(_ number: Int) throws -> String {
        try values[number]?.last.map(Self.string) ?? ""
    }

    /// The strings of field `number`.
    /// - Throws: `MessageError.malformed` for another type.
    package func texts(_ number: Int) throws -> [String] {
        try values[number, default: []].map(Self.string)
    }

    private static func string(_ value: ScannedValue) throws -> String {
        guard case .bytes(let bytes) = value,
            let text = String(validating: bytes, as: UTF8.self)
        else { throw MessageError.malformed }
        return text
    }

    /// The last varint of field `number`, if there is one.
    /// - Throws: `MessageError.malformed` for another type.
    func number(_ number: Int) throws -> UInt64? {
        guard let value = values[number]?.last else { return nil }
        guard case .varint(let varint) = value else { throw MessageError.malformed }
        return varint
    }

    /// The messages of field `number`.
    /// - Throws: `MessageError.malformed` for another type.
    package func messages(_ number: Int) throws -> [DescriptorFields] {
        try values[number, default: []].map {
            guard case .bytes(let bytes) = $0 else { throw MessageError.malformed }
            return try DescriptorFields(bytes)
        }
    }
}

extension FieldType {
    /// `FieldDescriptorProto`: name = 1, number = 3, label = 4, type = 5, type_name = 6,
    /// options = 8, oneof_index = 9, json_name = 10.
    init(_ field: DescriptorFields, message: String, isProto3: Bool) throws {
        let name = try field.text(1)
        guard let number = try field.number(3), (1..<1 << 29).contains(number) else {
            throw SchemaError.malformed
        }
        guard let kind = try FieldType.Kind(field) else {
            throw SchemaError.unsupported(field: "\(message).\(name)")
        }
        let jsonName = try field.text(10)
        let oneof = try field.number(9).map { Int(truncatingIfNeeded: $0) }
        let isMessage = if case .message = kind { true } else { false }
        self.init(
            number: Int(number), name: name, jsonName: jsonName.isEmpty ? name : jsonName,
            kind: kind, isRepeated: try field.number(4) == 3, oneof: oneof,
            hasPresence: isMessage || oneof != nil || !isProto3,
            isSecret: try field.messages(8).contains { try $0.number(50_001) == 1 })
    }
}

extension SchemaMethod.Options {
    /// `MethodOptions`: idempotency_level = 34 (1 is NO_SIDE_EFFECTS), and our extensions of
    /// `postern/options/v1/options.proto`.
    init(_ options: [DescriptorFields]) throws {
        func number(_ extensionNumber: Int) throws -> UInt64 {
            try options.last?.number(extensionNumber) ?? 0
        }
        self.init(
            isIdempotent: try number(50_001) == 1, timeoutMilliseconds: try number(50_002),
            isOnLoop: try number(50_003) == 1, hedgeAfterMilliseconds: try number(50_004),
            isCostly: try number(50_005) == 1, isForNamedCallersOnly: try number(50_006) == 1,
            session: SchemaMethod.Session(rawValue: try number(50_007)) ?? .unspecified,
            isPublic: try number(50_008) == 1,
            hasNoSideEffects: try number(34) == 1)
    }
}

extension FieldType.Kind {
    /// The kind for a `FieldDescriptorProto.Type`; nil for a group and for newer types.
    init?(_ field: DescriptorFields) throws {
        let typeName = withoutLeadingDot(try field.text(6))
        switch try field.number(5) {
        case 1: self = .double
        case 2: self = .float
        case 3: self = .int64
        case 4: self = .uint64
        case 5: self = .int32
        case 6: self = .fixed64
        case 7: self = .fixed32
        case 8: self = .bool
        case 9: self = .string
        case 11: self = .message(typeName)
        case 12: self = .bytes
        case 13: self = .uint32
        case 14: self = .enumeration(typeName)
        case 15: self = .sfixed32
        case 16: self = .sfixed64
        case 17: self = .sint32
        case 18: self = .sint64
        default: return nil
        }
    }
}
