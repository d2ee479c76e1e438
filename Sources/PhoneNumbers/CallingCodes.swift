/// Which country a number is from, by the digits that it begins with: the longest beginning that is
/// in the table decides.
///
/// Sources: ITU-T E.164 Annex, "List of country codes assigned"; for `+1`, the area codes of the
/// North American Numbering Plan Administrator. A code that is assigned later is refused until it
/// has its line here; an area of `+1` counts as the United States' until then.
enum CallingCodes {
    /// Where a number is from.
    struct Area: Hashable, Sendable {
        /// Nil for numbers of no country.
        let country: PhoneCountry?
    }

    /// All countries of the table.
    static let countries = Set(table.values.compactMap { $0?.code })

    /// Of a number's digits with its country's code; nil where there is no such code, or the number
    /// cannot be one of its plan.
    static func area(of digits: String) -> Area? {
        if digits.utf8.first == UInt8(ascii: "1"), !isNorthAmerican(digits) { return nil }
        for count in stride(from: prefixMax, through: 1, by: -1) {
            if let country = table[String(digits.prefix(count))] { return Area(country: country) }
        }
        return nil
    }

    /// 1, then two groups of three digits and four, where no group of three begins with 0 or 1.
    private static func isNorthAmerican(_ digits: String) -> Bool {
        let bytes = Array(digits.utf8)
        guard bytes.count == 11 else { return false }
        return bytes[1] > UInt8(ascii: "1") && bytes[4] > UInt8(ascii: "1")
    }

    /// Countries by beginnings of numbers; a value of nil is a number of no country.
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
