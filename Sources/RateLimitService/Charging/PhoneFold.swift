/// Reduces phone numbers (E.164) to their leading digits. Text that is not a number is returned
/// unchanged and is its own subject.
enum PhoneFold {
    /// Digits of a number, E.164 §6.
    private static let digits = 7...15

    /// The number's block of a thousand. Numbers are assigned and rented in blocks. Attack: an
    /// owner of many numbers who earns from each message requests codes to neighbouring ones.
    static func block(_ number: String) -> String {
        isNumber(number) ? number.dropLast(3) + "xxx" : number
    }

    /// The country code with its plus. The North American plan has one code for 25 countries, some
    /// of them expensive, so there it is the area code.
    static func country(_ number: String) -> String {
        guard isNumber(number) else { return number }
        return String(number.prefix(1 + countryDigits(number.dropFirst())))
    }

    private static func isNumber(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "+") && digits.contains(text.utf8.count - 1)
            && text.utf8.dropFirst().allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }

    private static func countryDigits(_ digits: Substring) -> Int {
        switch digits.first {
        case "1": 4
        case "7": 1
        default: ofTwoDigits.contains(String(digits.prefix(2))) ? 2 : 3
        }
    }

    /// The country codes of two digits in ITU-T E.164 Annex, "List of country codes assigned". All
    /// others except 1 and 7 have three digits.
    private static let ofTwoDigits: Set<String> = [
        "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45", "46",
        "47", "48", "49", "51", "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63",
        "64", "65", "66", "81", "82", "84", "86", "90", "91", "92", "93", "94", "95", "98",
    ]
}
