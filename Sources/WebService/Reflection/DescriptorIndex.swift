import Messages

/// The files of descriptor sets, by their names and by what they declare.
struct DescriptorIndex: Sendable {
    /// Maximum nesting of types, as in `SchemaBuilder`.
    private static let depthMax = 16

    /// Serialised `FileDescriptorProto`s by their names.
    private var files: [String: [UInt8]] = [:]
    private var imports: [String: [String]] = [:]
    private var fileOfSymbol: [String: String] = [:]

    /// The index of serialised `FileDescriptorSet`s. Of files with the same name the first counts.
    /// - Throws: `MessageError` for bytes that are not a set.
    init(_ sets: [[UInt8]]) throws {
        for set in sets {
            var scanner = FieldScanner(set[...])
            while let field = try scanner.next() {
                if field.number == 1, case .bytes(let file) = field.value { try add(file) }
            }
        }
    }

    /// The file with that name, then the files that it imports, directly or not; nil if there is
    /// none.
    func files(from name: String) -> [[UInt8]]? {
        guard files[name] != nil else { return nil }
        var names = [name]
        var next = 0
        while next < names.count {
            for imported in imports[names[next], default: []] where !names.contains(imported) {
                names.append(imported)
            }
            next += 1
        }
        return names.compactMap { files[$0] }
    }

    /// The name of the file that declares a message, enum, service, method or field.
    func file(declaring symbol: String) -> String? { fileOfSymbol[symbol] }

    /// `FileDescriptorProto`: name = 1, package = 2, dependency = 3, message_type = 4,
    /// enum_type = 5, service = 6.
    private mutating func add(_ file: ArraySlice<UInt8>) throws {
        let fields = try DescriptorFields(file)
        let name = try fields.text(1)
        guard files[name] == nil else { return }
        files[name] = Array(file)
        imports[name] = try fields.texts(3)
        let package = try fields.text(2)
        let prefix = package.isEmpty ? "" : package + "."
        for number in [4, 5, 6] {
            for declaration in try fields.messages(number) {
                try declare(declaration, number, prefix, in: name, depth: 0)
            }
        }
    }

    /// Adds a message (4), enum (5) or service (6) with what it declares: `DescriptorProto`:
    /// name = 1, field = 2, nested_type = 3, enum_type = 4; `ServiceDescriptorProto`: name = 1,
    /// method = 2.
    private mutating func declare(
        _ fields: DescriptorFields, _ kind: Int, _ prefix: String, in file: String, depth: Int
    ) throws {
        guard depth < Self.depthMax else { throw MessageError.malformed }
        let name = prefix + (try fields.text(1))
        fileOfSymbol[name] = file
        for member in try fields.messages(2) {
            // The values of an enum are declared beside it.
            fileOfSymbol[(kind == 5 ? prefix : name + ".") + (try member.text(1))] = file
        }
        guard kind == 4 else { return }
        for (number, nested) in [(3, 4), (4, 5)] {
            for declaration in try fields.messages(number) {
                try declare(declaration, nested, name + ".", in: file, depth: depth + 1)
            }
        }
    }
}
