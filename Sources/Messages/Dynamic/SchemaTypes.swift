/// One message type of a schema. A class, like `Schema`, since each field that is mapped refers to it.
final class MessageType: Sendable {
    /// The full name, for example `postern.gateway.v1.Session`.
    let name: String
    /// Sorted by number, which is also the order in which other implementations write JSON.
    let fields: [FieldType]
    private let byNumber: [Int: Int]
    private let byName: [String: Int]

    init(name: String, fields: [FieldType]) {
        self.name = name
        self.fields = fields
        let indices = fields.indices
        byNumber = Dictionary(indices.map { (fields[$0].number, $0) }) { first, _ in first }
        byName = Dictionary(
            indices.map { (fields[$0].name, $0) } + indices.map { (fields[$0].jsonName, $0) }
        ) { first, _ in first }
    }

    /// The index of the field with that number. Those of most types are 1, 2, 3 and so on.
    func index(number: Int) -> Int? {
        let guess = number - 1
        if fields.indices.contains(guess), fields[guess].number == number { return guess }
        return byNumber[number]
    }

    /// The index of the field with that JSON name or `.proto` name.
    func index(named name: String) -> Int? { byName[name] }
}

/// One field of a message type.
struct FieldType: Sendable {
    let number: Int
    let name: String
    let jsonName: String
    let kind: Kind
    let isRepeated: Bool
    /// The index of its oneof in the message, if it is in one.
    let oneof: Int?
    /// Whether an absent field differs from one with the default value.
    let hasPresence: Bool
    /// Whether it has our option `secret`.
    let isSecret: Bool

    /// The type of a field's values.
    enum Kind: Sendable {
        case double, float, bool, string, bytes
        case int32, int64, uint32, uint64, sint32, sint64
        case fixed32, fixed64, sfixed32, sfixed64
        /// An enum by its full name.
        case enumeration(String)
        /// A message by its full name.
        case message(String)

        /// Whether a repeated field of this type is packed.
        var isPackable: Bool {
            switch self {
            case .string, .bytes, .message: false
            default: true
            }
        }
    }
}

/// One enum of a schema.
struct EnumType: Sendable {
    /// The number of each name.
    let numbers: [String: Int32]
    /// The first name of each number.
    let names: [Int32: String]

    init(_ values: [(name: String, number: Int32)]) {
        numbers = Dictionary(values.map { ($0.name, $0.number) }) { first, _ in first }
        names = Dictionary(values.map { ($0.number, $0.name) }) { first, _ in first }
    }

    /// The names that a caller can mean, by their numbers: without that of 0, which is what a field
    /// has that is absent, where there is another.
    var choices: [String] {
        let meant = names.filter { $0.key != 0 }
        return (meant.isEmpty ? names : meant).sorted { $0.key < $1.key }.map(\.value)
    }
}

/// One method in a schema, with its types as names.
struct MethodType: Sendable {
    let input: String
    let output: String
    let hasRequestItems: Bool
    let hasResponseItems: Bool
    let options: SchemaMethod.Options
}
