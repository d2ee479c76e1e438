/// One message type of a schema.
struct MessageType: Sendable {
    /// `postern.session.v1.Tokens`.
    let name: String
    /// By their numbers, which is the order that other implementations write JSON in too.
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

    /// The index of the field with that number.
    func index(number: Int) -> Int? { byNumber[number] }

    /// The index of the field that JSON calls that: by its JSON name or its name in the `.proto`.
    func index(named name: String) -> Int? { byName[name] }
}

/// One field of a message type.
struct FieldType: Sendable {
    let number: Int
    let name: String
    let jsonName: String
    let kind: FieldKind
    let isRepeated: Bool
    /// Which oneof of its message it is in.
    let oneof: Int?
    /// Whether its default value and its absence differ.
    let hasPresence: Bool
}

/// What a field holds.
enum FieldKind: Sendable {
    case double, float, bool, string, bytes
    case int32, int64, uint32, uint64, sint32, sint64
    case fixed32, fixed64, sfixed32, sfixed64
    /// An enum by its full name.
    case enumeration(String)
    /// A message by its full name.
    case message(String)

    /// Whether a repeated field of it lies packed in one run of bytes.
    var isPackable: Bool {
        switch self {
        case .string, .bytes, .message: false
        default: true
        }
    }
}

/// One enum of a schema.
struct EnumType: Sendable {
    /// `postern.session.v1.EndReason`.
    let name: String
    /// The number of each name.
    let numbers: [String: Int32]
    /// The first name of each number.
    let names: [Int32: String]

    init(name: String, values: [(name: String, number: Int32)]) {
        self.name = name
        numbers = Dictionary(values.map { ($0.name, $0.number) }) { first, _ in first }
        names = Dictionary(values.map { ($0.number, $0.name) }) { first, _ in first }
    }
}

/// One method as a schema names it: its types are still names.
struct MethodType: Sendable {
    let input: String
    let output: String
    let hasRequestItems: Bool
    let hasResponseItems: Bool
}
