/// Maps the first digits of a number to its country: the longest prefix in the table decides.
///
/// Sources: ITU-T E.164 Annex, "List of country codes assigned"; for `+1`, the area codes of the
/// North American Numbering Plan Administrator. A country code that is assigned later is rejected
/// until the table has it. Until then, a new area code of `+1` counts as one of the United States.
package enum CallingCodes {
    /// The area of a number.
    struct Area: Hashable, Sendable {
        /// Nil for numbers without a country.
        let country: PhoneCountry?
    }

    /// All countries in the table.
    static let countries = Set(table.values.compactMap { $0?.code })

    /// The area of a number, given as digits with the country code. Nil for an unknown code, and
    /// for a number that its numbering plan does not allow.
    static func area(of digits: String) -> Area? {
        if digits.utf8.first == UInt8(ascii: "1"), !isNorthAmerican(digits) { return nil }
        for count in stride(from: prefixMax, through: 1, by: -1) {
            if let country = table[String(digits.prefix(count))] { return Area(country: country) }
        }
        return nil
    }

    /// The country code at the start of a number, given as digits. The North American plan has one
    /// code for 25 countries, some of them expensive, so there it is the area code with its 1. An
    /// unassigned code counts as one of three digits, as all have except 1, 7 and those of two.
    package static func code(of digits: Substring) -> Substring {
        switch digits.first {
        case "1": digits.prefix(4)
        case "7": digits.prefix(1)
        default: digits.prefix(table.keys.contains(String(digits.prefix(2))) ? 2 : 3)
        }
    }

    /// Checks the form 1, then groups of three, three and four digits, where no group of three
    /// begins with 0 or 1.
    private static func isNorthAmerican(_ digits: String) -> Bool {
        let bytes = Array(digits.utf8)
        guard bytes.count == 11 else { return false }
        return bytes[1] > UInt8(ascii: "1") && bytes[4] > UInt8(ascii: "1")
    }

    /// Countries by prefix. The value nil means a number without a country.
    private static let table: [String: PhoneCountry?] = {
        var table: [String: PhoneCountry?] = [:]
        for line in CallingCodeTable.lines.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let country = words.first else { continue }
            for prefix in words.dropFirst() {
                table[String(prefix)] = .some(
                    country == "--" ? nil : PhoneCountry(known: String(country)))
            }
        }
        return table
    }()

    private static let prefixMax = table.keys.reduce(0) { max($0, $1.utf8.count) }
}
