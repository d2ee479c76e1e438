import Addresses

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
        return "+" + CallingCodes.code(of: number.dropFirst())
    }

    private static func isNumber(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "+") && digits.contains(text.utf8.count - 1)
            && text.utf8.dropFirst().allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }
}
