import Testing

@testable import Messages

@Suite("Schemas are read from descriptors")
struct SchemaTests {
    @Test("methods are found with their message types")
    func methods() throws {
        let schema = try Golden.schema.get()
        let method = try #require(
            schema.method(named: "postern.session.v1.Sessions/CreateSession"))
        #expect(method.input.name == "postern.session.v1.CreateSessionRequest")
        #expect(method.output.name == "postern.session.v1.CreateSessionResponse")
        #expect(schema.method(named: "postern.session.v1.Sessions/Nothing") == nil)
        #expect(schema.message(named: "postern.session.v1.Nothing") == nil)
        #expect(schema.methodNames.contains("postern.gateway.v1.Auth/SignInWithPassword"))
    }

    @Test("the error for an undeclared type names it")
    func unknownType() {
        // file { package "p", message_type { name "M", field { name "f", number 1, type 11, type_name ".p.N" } } }
        let field: [UInt8] = [0x0a, 1, 0x66, 0x18, 1, 0x28, 11, 0x32, 4] + Array(".p.N".utf8)
        let message = [0x0a, 1, 0x4d, 0x12, UInt8(field.count)] + field
        let file = [0x12, 1, 0x70, 0x22, UInt8(message.count)] + message
        #expect(throws: SchemaError.unknownType("p.N")) {
            try Schema(fileDescriptorSet: [0x0a, UInt8(file.count)] + file)
        }
    }

    @Test("types nested too deeply and sets that are too large are rejected")
    func limits() {
        var message: [UInt8] = [0x0a, 1, 0x4d]
        for _ in 0..<40 { message = [0x0a, 1, 0x4d, 0x1a] + length(message) + message }
        let file = [0x22] + length(message) + message
        #expect(throws: SchemaError.tooDeep) {
            try Schema(fileDescriptorSet: [0x0a] + length(file) + file)
        }
        #expect(throws: SchemaError.tooLarge) {
            try Schema(fileDescriptorSet: Array(repeating: 0, count: Schema.setBytesMax + 1))
        }
    }

    @Test("a recursive message type is read to a limited depth")
    func recursive() throws {
        let field: [UInt8] = [0x0a, 1, 0x66, 0x18, 1, 0x28, 11, 0x32, 4] + Array(".p.M".utf8)
        let message = [0x0a, 1, 0x4d, 0x12, UInt8(field.count)] + field
        let file = [0x12, 1, 0x70, 0x22, UInt8(message.count)] + message
        let schema = try Schema(fileDescriptorSet: [0x0a, UInt8(file.count)] + file)
        let type = try #require(schema.message(named: "p.M"))
        var bytes: [UInt8] = []
        for _ in 0..<100 { bytes = [0x0a] + length(bytes) + bytes }
        #expect(throws: MappingError.self) { try type.decodeToJSON(bytes) }
    }

    @Test("5,000 mutated descriptor sets give a schema or a typed error")
    func mutations() {
        var mutator = Mutator(seed: 3)
        var refused = 0
        #expect(Self.twoFiles.count > 3_000)
        for round in 0..<5_000 {
            let set = round % 50 == 0 ? Golden.schemaBytes : Self.twoFiles
            let bytes = mutator.mutated(set, with: set)
            do throws(SchemaError) {
                _ = try Schema(fileDescriptorSet: bytes)
            } catch {
                refused += 1
            }
        }
        #expect((500..<5_000).contains(refused))
    }

    /// Two files of the schema that need no other and have every kind of declaration between them.
    /// Reading their 4 kB takes a fraction of the time of all protos' 80 kB, and a mutation is more
    /// often in a place that matters.
    private static let twoFiles: [UInt8] = {
        let names = ["postern/identity/v1/notices.proto", "postern/wire/v1/wire.proto"]
        var scanner = FieldScanner(Golden.schemaBytes[...])
        var writer = FieldWriter()
        while let field = try? scanner.next() {
            guard case .bytes(let file) = field.value,
                let name = try? DescriptorFields(file).text(1), names.contains(name)
            else { continue }
            writer.append(field.number, field.value)
        }
        return writer.bytes
    }()

    /// `bytes.count` as a varint.
    private func length(_ bytes: [UInt8]) -> [UInt8] {
        bytes.count < 128
            ? [UInt8(bytes.count)] : [UInt8(bytes.count & 0x7f | 0x80), UInt8(bytes.count >> 7)]
    }
}
