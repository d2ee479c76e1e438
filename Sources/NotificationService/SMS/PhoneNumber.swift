/// A telephone number as E.164 writes it: `+`, a country's code, and digits, fifteen at most
/// (ITU-T E.164, 6). Nothing else is taken, so that one number has one look-up key.
package struct PhoneNumber: Hashable, Sendable {
    /// Digits behind the `+`; the shortest numbers in use have eight with their country.
    private static let digits = 8...15

    /// As it was given.
    package let text: String

    /// A number; nil for what is none.
    package init?(_ text: String) {
        let number = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "+"), Self.digits.contains(number.count),
            number.first != UInt8(ascii: "0"),
            number.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        self.text = text
    }
}
