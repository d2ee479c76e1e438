import JSON

extension JSONValue {
    /// The value of any number. Nil for other values, and for a number beyond `Double`.
    var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .number(let digits): Double(digits).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    /// Whether it is a number without a fraction; `5.0` and `5e3` are, too.
    var isWhole: Bool {
        if case .integer = self { return true }
        return double.map { $0 == $0.rounded() } ?? false
    }

    /// The number of characters (Unicode scalars) of a text, or of values of a list.
    var length: Int? { string?.unicodeScalars.count ?? array?.count }

    /// Whether both mean the same: numbers by value, objects in any order of their members.
    func isSame(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.array(let values), .array(let others)):
            return values.count == others.count
                && zip(values, others).allSatisfy { $0.isSame(as: $1) }
        case (.object(let object), .object(let other)):
            guard object.members.count == other.members.count else { return false }
            let values = Dictionary(
                other.members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
            return object.members.allSatisfy { member in
                values[member.name].map(member.value.isSame) ?? false
            }
        default:
            if self == other { return true }
            // Two integers beyond 2^53 can be one double.
            if case (.integer, .integer) = (self, other) { return false }
            guard let number = double, let otherNumber = other.double else { return false }
            return number == otherNumber
        }
    }
}

/// Times of day as texts (RFC 3339, 5.6).
enum TimeOfDayText {
    /// Whether this is `07:30` or `07:30:00`, up to `23:59:59`.
    static func isValid(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return (2...3).contains(parts.count)
            && zip(parts, [23, 59, 59]).allSatisfy { part, most in
                guard part.count == 2, part.allSatisfy({ (0x30...0x39).contains($0) }) else {
                    return false
                }
                return part.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= most
            }
    }
}
