import Cryptography
import JSON
import PublicCalls
import RPC
import Testing

@testable import Messages

@Suite("SECURITY.md, Costs: a request of each public method at the bounds of its fields")
struct PublicCallTests {
    /// The methods of the gateway, with their types.
    private static func methods() async throws -> [String: SchemaMethod] {
        var methods: [String: SchemaMethod] = [:]
        for service in try await GatewayFixture().serviceMethods.map(\.description) {
            let schema = try Schema(fileDescriptorSet: service.fileDescriptorSet)
            for method in service.methods {
                let known: SchemaMethod = try #require(schema.method(named: method.name))
                methods[method.name] = known
            }
        }
        return methods
    }

    @Test("every method has a request, and every request a method")
    func complete() async throws {
        let methods = try await Self.methods()
        let called = Set(PublicCalls.all.map(\.method.name))
        #expect(Set(methods.keys).subtracting(called).sorted() == [], "without a request")
        #expect(called.subtracting(methods.keys).sorted() == [], "without a method")
        let names = PublicCalls.all.map(\.name)
        #expect(Set(names).count == names.count, "two requests have one name")
    }

    @Test("every field is set, and at the bound that the code has, in one of a method's requests")
    func bounds() async throws {
        let caller = try UnknownCaller()
        let calls = Dictionary(grouping: PublicCalls.all, by: \.method.name)
        for (name, method) in try await Self.methods() {
            var found = FoundSizes(method.input.schema)
            for call in calls[name] ?? [] {
                let messages = try await call.messages(caller, 0)
                #expect(method.hasRequestItems || messages.count == 1, "\(call.name)")
                // Further items of an upload are like these.
                for message in messages.prefix(4) {
                    let type = type(of: message).fullName
                    #expect(type == method.input.name, "\(call.name) is a \(type)")
                    try found.add(message.encoded(), of: method.input)
                }
            }
            #expect(found.mistakes(in: method.input.type) == [], "\(name)")
        }
    }

    @Test("the table of bounds names fields of requests only")
    func table() async throws {
        var (fields, names) = (Set<String>(), Set<String>())
        for method in try await Self.methods().values {
            for (message, field) in FoundSizes(method.input.schema).fields(of: method.input.type) {
                fields.insert("\(message).\(field.name)")
                names.insert(field.name)
            }
        }
        #expect(Set(FieldBound.fields.keys).subtracting(fields).sorted() == [])
        #expect(Set(FieldBound.names.keys).subtracting(names).sorted() == [])
    }

    @Test("texts of which a part is mapped or composed reach both of their bounds")
    func mapped() {
        #expect(Bound.mailbox("ada").utf8.count == 254)
        #expect(Bound.password.unicodeScalars.count == 16 + 3 * 112)
        #expect(Bound.password.count == 128)
        #expect(Bound.password != Bound.newPassword)
    }
}

/// The greatest size of each field of some messages, by message and field.
private struct FoundSizes {
    private let schema: Schema
    private var sizes: [String: [FieldBound: Int]] = [:]

    init(_ schema: Schema) { self.schema = schema }

    /// All fields of a message and of the messages in it that are not left out.
    func fields(of type: MessageType) -> [(message: String, field: FieldType)] {
        type.fields.flatMap { field -> [(String, FieldType)] in
            var inner: [(String, FieldType)] = []
            if case .message(let name) = field.kind, let content = schema.messages[name],
                FieldBound.of(field.name, in: Self.short(type.name)) != .unset
            {
                inner = fields(of: content)
            }
            return [(Self.short(type.name), field)] + inner
        }
    }

    mutating func add(_ bytes: [UInt8], of message: SchemaMessage) throws {
        let options = JSONReader.Options(depthMax: 64, membersMax: .max)
        let tree = try JSONReader.value(in: message.decodeToUTF8(bytes), options)
        add(try #require(tree.object), of: message.type)
    }

    private mutating func add(_ object: JSONObject, of type: MessageType) {
        for field in type.fields {
            guard let value = object[field.jsonName] else { continue }
            let key = "\(Self.short(type.name)).\(field.name)"
            note(.any, 1, key)
            if field.isRepeated { note(.items(0), value.array?.count ?? 0, key) }
            for value in field.isRepeated ? value.array ?? [] : [value] {
                add(value, of: field, key)
            }
        }
    }

    private mutating func add(_ value: JSONValue, of field: FieldType, _ key: String) {
        switch field.kind {
        case .message(let name):
            if let object = value.object, let type = schema.messages[name] { add(object, of: type) }
        case .string:
            note(.bytes(0), value.string?.utf8.count ?? 0, key)
            note(.characters(0), value.string?.unicodeScalars.count ?? 0, key)
        case .bytes:
            note(.bytes(0), Base64.decode((value.string ?? "").utf8)?.count ?? 0, key)
        default:
            let number = value.integer ?? value.string.flatMap { Int64($0) } ?? 0
            note(.value(0), Int(number), key)
        }
    }

    private mutating func note(_ kind: FieldBound, _ size: Int, _ key: String) {
        sizes[key, default: [:]][kind] = max(sizes[key]?[kind] ?? 0, size)
    }

    /// What is missing for a request that has all of its fields at their bounds.
    func mistakes(in type: MessageType) -> [String] {
        Set(fields(of: type).compactMap { mistake($0.field, in: $0.message) }).sorted()
    }

    private func mistake(_ field: FieldType, in message: String) -> String? {
        let key = "\(message).\(field.name)"
        let bound = FieldBound.of(field.name, in: message)
        guard bound != .unset else { return nil }
        guard let sizes = sizes[key] else { return "\(key) is not set" }
        switch bound {
        case .bytes(let bound): return mistake(key, sizes[.bytes(0)], bound, "bytes")
        case .characters(let bound): return mistake(key, sizes[.characters(0)], bound, "characters")
        case .items(let bound): return mistake(key, sizes[.items(0)], bound, "items")
        case .value(let bound): return mistake(key, sizes[.value(0)], bound, "")
        case .any, .unset: return nil
        case nil:
            return isSized(field) ? "\(key) has no bound in the table" : nil
        }
    }

    private func mistake(_ key: String, _ size: Int?, _ bound: Int, _ unit: String) -> String? {
        size == bound ? nil : "\(key): \(size ?? 0) \(unit) instead of \(bound)"
    }

    /// Whether a field can be of any length.
    private func isSized(_ field: FieldType) -> Bool {
        switch field.kind {
        case .string, .bytes: true
        default: field.isRepeated
        }
    }

    private static func short(_ name: String) -> String {
        name.split(separator: ".").last.map(String.init) ?? name
    }
}
