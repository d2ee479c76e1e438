/// A JSON text as values. Numbers keep their digits, since 64 bits do not fit in a `Double`;
/// objects keep their order.
enum JSONTree: Hashable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONTree])
    case object([Member])

    /// One name and value of an object.
    struct Member: Hashable {
        let name: String
        let value: JSONTree
    }

    /// What it is, for a complaint.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
