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

/// Days and times of day as texts (RFC 3339, 5.6).
enum CalendarText {
    /// `2026-01-31`, a day that the calendar has.
    static func isDate(_ text: String) -> Bool {
        guard text.utf8.count == 10,
            let parts = numbers(text, UInt8(ascii: "-"), lengths: [4, 2, 2]),
            parts[0] >= 1, (1...12).contains(parts[1])
        else { return false }
        let isLeap = parts[0] % 4 == 0 && (parts[0] % 100 != 0 || parts[0] % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[parts[1] - 1]).contains(parts[2])
    }

    /// `07:30` or `07:30:00`, up to `23:59:59`.
    static func isTime(_ text: String) -> Bool {
        let colon = UInt8(ascii: ":")
        let lengths = text.utf8.count == 5 ? [2, 2] : [2, 2, 2]
        guard text.utf8.count <= 8, let parts = numbers(text, colon, lengths: lengths) else {
            return false
        }
        return zip(parts, [23, 59, 59]).allSatisfy { $0 <= $1 }
    }

    /// Numbers of digits, `lengths` long, between separators. Nil for any other text.
    private static func numbers(
        _ text: String, _ separator: UInt8, lengths: [Int]
    ) -> [Int]? {
        let parts = text.utf8.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.map(\.count) == lengths,
            parts.allSatisfy({ $0.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        return parts.map { $0.reduce(0) { $0 * 10 + Int($1 - 0x30) } }
    }
}
