/// A JSON value as tokens and key sets hold it (RFC 8259).
enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// A number without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number.
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// The text of a string.
    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The texts of an array that holds strings only.
    var strings: [String]? {
        guard case .array(let values) = self else { return nil }
        let texts = values.compactMap(\.string)
        return texts.count == values.count ? texts : nil
    }

    /// The number of an integer.
    var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }
}

/// The members of a JSON object in their order, each name once.
struct JSONObject: Hashable, Sendable {
    /// A name and its value.
    struct Member: Hashable, Sendable {
        let name: String
        let value: JSONValue
    }

    private(set) var members: [Member] = []

    /// The value of `name`.
    subscript(name: String) -> JSONValue? {
        members.first { $0.name == name }?.value
    }

    /// Adds a member at the end; false, and nothing done, when its name is there already.
    mutating func add(_ name: String, _ value: JSONValue) -> Bool {
        guard self[name] == nil else { return false }
        members.append(Member(name: name, value: value))
        return true
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Members in the order written; of a repeated name the first counts.
    init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { _ = add(name, value) }
    }
}
