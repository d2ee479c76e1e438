import Testing

@testable import Messages

@Suite("I-07: the parts of a request that its caller signs")
struct SignedPartsTests {
    /// The type of a field in a descriptor (`FieldDescriptorProto.Type`).
    fileprivate enum Kind: UInt64 {
        case double = 1
        case int64 = 3, uint64, int32, fixed64, fixed32, bool, string
        case message = 11, bytes, uint32, enumeration, sfixed32, sfixed64, sint32, sint64
    }

    fileprivate struct Field {
        var number: UInt64
        var kind: Kind
        var typeName = ""
        var isRepeated = false
        var isInOneof = false
        var isSecret = false

        /// `FieldDescriptorProto`: name = 1, number = 3, label = 4, type = 5, type_name = 6,
        /// options = 8, oneof_index = 9, json_name = 10.
        var bytes: [UInt8] {
            var writer = FieldWriter()
            writer.text(1, "f_\(number)")
            writer.append(3, .varint(number))
            writer.append(4, .varint(isRepeated ? 3 : 1))
            writer.append(5, .varint(kind.rawValue))
            if !typeName.isEmpty { writer.text(6, typeName) }
            if isSecret {
                var options = FieldWriter()
                options.append(50_001, .varint(1))
                writer.append(8, .bytes(options.bytes[...]))
            }
            if isInOneof { writer.append(9, .varint(0)) }
            writer.text(10, "f\(number)")
            return writer.bytes
        }
    }

    /// The rule for a message `t.M` of these fields, without that of type `t.Proof`. There are a
    /// message `t.N` with a text 1 and a number 2, and an enum `t.E` with `NONE` and `ONE`.
    private static func rule(_ fields: [Field]) throws -> SignedParts {
        func message(_ name: String, _ fields: [Field]) -> [UInt8] {
            var writer = FieldWriter()
            writer.text(1, name)
            for field in fields { writer.append(2, .bytes(field.bytes[...])) }
            return writer.bytes
        }
        var values = FieldWriter()
        values.text(1, "E")
        for (number, name) in ["NONE", "ONE"].enumerated() {
            var value = FieldWriter()
            value.text(1, name)
            value.append(2, .varint(UInt64(number)))
            values.append(2, .bytes(value.bytes[...]))
        }
        var file = FieldWriter()
        file.text(2, "t")
        file.append(4, .bytes(message("M", fields)[...]))
        file.append(4, .bytes(message("N", [.text, .number])[...]))
        file.append(4, .bytes(message("Proof", [.text])[...]))
        file.append(5, .bytes(values.bytes[...]))
        file.text(12, "proto3")
        var set = FieldWriter()
        set.append(1, .bytes(file.bytes[...]))
        let schema = try Schema(fileDescriptorSet: set.bytes)
        return SignedParts(of: try #require(schema.message(named: "t.M")), without: "t.Proof")
    }

    /// The parts of a message with these values, absent ones as `-`, others without their byte.
    private static func parts(
        _ fields: [Field], _ values: [(Int, ScannedValue)]
    ) throws -> [String] {
        var writer = FieldWriter()
        for (number, value) in values { writer.append(number, value) }
        return try rule(fields).parts(of: writer.bytes).map { part in
            part == [0]
                ? "-" : String(decoding: part.dropFirst(part.first == 1 ? 1 : 0), as: UTF8.self)
        }
    }

    private static func text(_ text: String) -> ScannedValue { .bytes(Array(text.utf8)[...]) }

    /// `t.N`.
    private static func nested(_ text: String, _ number: UInt64) -> ScannedValue {
        var writer = FieldWriter()
        if !text.isEmpty { writer.text(1, text) }
        if number > 0 { writer.append(2, .varint(number)) }
        return .bytes(writer.bytes[...])
    }

    @Test("a field of each kind has its part: absent, with its default, with a value")
    func table() throws {
        let minusOne = UInt64(bitPattern: -1)
        let rows: [(Kind, default: ScannedValue, ScannedValue, String)] = [
            (.string, Self.text(""), Self.text("a\n\"é\u{202e}"), "a\n\"é\u{202e}"),
            (.bytes, Self.text(""), Self.text("abcd"), "YWJjZA=="),
            (.bool, .varint(0), .varint(1), "true"),
            (.int32, .varint(0), .varint(minusOne), "-1"),
            (.int64, .varint(0), .varint(UInt64(Int64.max)), "9223372036854775807"),
            (.uint32, .varint(0), .varint(7), "7"),
            (.uint64, .varint(0), .varint(minusOne), "18446744073709551615"),
            (.sint32, .varint(0), .varint(1), "-1"), (.sint64, .varint(0), .varint(2), "1"),
            (.fixed32, .fixed32(0), .fixed32(7), "7"), (.fixed64, .fixed64(0), .fixed64(7), "7"),
            (.sfixed32, .fixed32(0), .fixed32(.max), "-1"),
            (.sfixed64, .fixed64(0), .fixed64(.max), "-1"),
            (.double, .fixed64(0), .fixed64((1.5).bitPattern), "1.5"),
        ]
        for (kind, zero, value, expected) in rows {
            let field = Field(number: 1, kind: kind)
            #expect(try Self.parts([field], []) == ["-"], "\(kind)")
            #expect(try Self.parts([field], [(1, zero)]) == ["-"], "\(kind)")
            #expect(try Self.parts([field], [(1, value)]) == [expected], "\(kind)")
        }
    }

    @Test("an enum is its value's name, and its number where the schema has no name")
    func enums() throws {
        let field = Field(number: 1, kind: .enumeration, typeName: ".t.E")
        for (number, expected) in [(0, "-"), (1, "ONE"), (9, "9")] as [(UInt64, String)] {
            #expect(try Self.parts([field], [(1, .varint(number))]) == [expected])
        }
    }

    @Test("with presence a default differs from an absent field")
    func presence() throws {
        let fields = [
            Field(number: 1, kind: .string, isInOneof: true),
            Field(number: 2, kind: .int64, isInOneof: true),
            Field(number: 3, kind: .message, typeName: ".t.N"),
        ]
        #expect(try Self.parts(fields, []) == ["-", "-", "-"])
        #expect(try Self.parts(fields, [(1, Self.text(""))]) == ["", "-", "-"])
        #expect(try Self.parts(fields, [(2, .varint(0))]) == ["-", "0", "-"])
        #expect(try Self.parts(fields, [(3, Self.nested("", 0))]) == ["-", "-", "{}"])
        // The byte distinguishes them.
        #expect(try Self.rule(fields).parts(of: []) == [[0], [0], [0]])
        #expect(try Self.rule([fields[0]]).parts(of: [0x0a, 0]) == [[1]])
    }

    @Test("lists and messages are JSON without blanks, members by number, defaults left out")
    func composed() throws {
        let fields = [
            Field(number: 1, kind: .string, isRepeated: true),
            Field(number: 2, kind: .int64, isRepeated: true),
            Field(number: 3, kind: .message, typeName: ".t.N", isRepeated: true),
            Field(number: 4, kind: .enumeration, typeName: ".t.E", isRepeated: true),
        ]
        #expect(try Self.parts(fields, []) == ["-", "-", "-", "-"])
        let parts = try Self.parts(
            fields,
            [
                (1, Self.text("a\n\u{8}\u{c}\r\t\u{1f}\"\\/é\u{7f}")), (1, Self.text("")),
                (2, .varint(1)), (2, .varint(0)),
                (3, Self.nested("n", 2)), (3, Self.nested("", 0)), (4, .varint(1)),
                (4, .varint(0)),
            ])
        #expect(
            parts == [
                #"["a\n\b\f\r\t\u001f\"\\/é"# + "\u{7f}" + #"",""]"#, #"["1","0"]"#,
                #"[{"f1":"n","f2":2},{}]"#, #"["ONE","NONE"]"#,
            ])
    }

    @Test("the parts are in the order of the numbers, without the proof and unknown fields")
    func order() throws {
        let fields = [
            Field(number: 7, kind: .string), Field(number: 1, kind: .message, typeName: ".t.Proof"),
            Field(number: 2, kind: .string),
        ]
        let parts = try Self.parts(
            fields,
            [
                (7, Self.text("seven")), (9, Self.text("unknown")), (1, Self.nested("token", 0)),
                (2, Self.text("two")),
            ])
        #expect(parts == ["two", "seven"])
    }

    /// Attack: text is moved from one field to the next, or a field is left out.
    @Test("no two of many requests have the same parts")
    func distinct() throws {
        let fields = [
            Field(number: 1, kind: .string), Field(number: 2, kind: .string),
            Field(number: 3, kind: .string, isRepeated: true),
        ]
        var seen: Set<[[UInt8]]> = []
        let texts = ["", "a", "ab", "b", "[\"a\"]", "\u{1}"]
        for first in texts {
            for second in texts {
                for list in [[], [""], ["a"], ["a", "b"], ["a\",\"b"]] as [[String]] {
                    var writer = FieldWriter()
                    if !first.isEmpty { writer.text(1, first) }
                    if !second.isEmpty { writer.text(2, second) }
                    for text in list { writer.text(3, text) }
                    seen.insert(try Self.rule(fields).parts(of: writer.bytes))
                }
            }
        }
        #expect(seen.count == texts.count * texts.count * 5)
    }

    @Test("I-10: a secret has a part like any other text, and the last one counts")
    func secrets() throws {
        let fields = [
            Field(number: 1, kind: .string, isSecret: true),
            Field(number: 2, kind: .string, isInOneof: true, isSecret: true),
            Field(number: 3, kind: .string),
        ]
        #expect(try Self.parts(fields, []) == ["-", "-", "-"])
        let parts = try Self.parts(
            fields,
            [
                (1, Self.text("a")), (3, Self.text("b")), (1, Self.text("c\n\"é")),
                (2, Self.text("")),
            ])
        #expect(parts == ["c\n\"é", "", "b"])
        #expect(try Self.parts(fields, [(1, Self.text(""))]) == ["-", "-", "-"])
    }

    @Test("bytes that are no message of the type are refused")
    func malformed() throws {
        let rule = try Self.rule([Field(number: 1, kind: .string)])
        for bytes in [[0x0a], [0x0a, 2, 0x61], [0x08, 1], [0x0a, 1, 0xff]] as [[UInt8]] {
            #expect(throws: MappingError.self) { try rule.parts(of: bytes) }
        }
    }
}

extension SignedPartsTests.Field {
    fileprivate static let text = Self(number: 1, kind: .string)
    fileprivate static let number = Self(number: 2, kind: .uint32)
}

extension FieldWriter {
    fileprivate mutating func text(_ number: Int, _ text: String) {
        append(number, .bytes(Array(text.utf8)[...]))
    }
}
