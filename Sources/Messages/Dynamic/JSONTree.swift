/// A parsed JSON text. Numbers keep their digits, since not all 64-bit integers fit in a `Double`;
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

    /// The kind of value, for error texts.
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
