/// A JSON value (RFC 8259).
package enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean(Bool)
    /// A number without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number.
    case real(Double)
    /// Any number, by its text, if the reader retains texts: not all numbers of 64 bits fit
    /// `Double`.
    case number(String)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)

    /// The text of a string. Nil for other values.
    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The texts of an array that contains only strings. Nil for other values.
    package var strings: [String]? {
        guard case .array(let values) = self else { return nil }
        let texts = values.compactMap(\.string)
        return texts.count == values.count ? texts : nil
    }

    /// The members of an object. Nil for other values.
    package var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The values of an array. Nil for other values.
    package var array: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The number of an integer. Nil for other values.
    package var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }
}

/// The members of a JSON object in order, with unique names.
package struct JSONObject: Hashable, Sendable {
    /// A name and its value.
    package struct Member: Hashable, Sendable {
        /// The name.
        package let name: String
        /// Its value.
        package let value: JSONValue

        /// A member.
        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The members.
    package private(set) var members: [Member] = []

    /// No members.
    package init() {}

    /// Members whose names differ from each other, which is not checked.
    package init(unique members: [Member]) { self.members = members }

    /// The value of `name`.
    package subscript(name: String) -> JSONValue? {
        members.first { $0.name == name }?.value
    }

    /// Adds a member at the end. Returns false and does nothing when the name exists.
    package mutating func add(_ name: String, _ value: JSONValue) -> Bool {
        guard self[name] == nil else { return false }
        members.append(Member(name: name, value: value))
        return true
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Members in the given order. Of a repeated name, the first is used.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { _ = add(name, value) }
    }
}
