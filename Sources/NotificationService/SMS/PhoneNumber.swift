/// A telephone number in E.164 form: `+`, country code and at most fifteen digits in all (ITU-T
/// E.164, 6). Other forms are rejected, so that one number has one look-up key.
package struct PhoneNumber: Hashable, Sendable {
    /// Digits after the `+`. The shortest numbers in use have eight with their country code.
    private static let digits = 8...15

    /// The number as given.
    package let text: String

    /// Nil if `text` is not an E.164 number.
    package init?(_ text: String) {
        let number = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "+"), Self.digits.contains(number.count),
            number.first != UInt8(ascii: "0"),
            number.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        self.text = text
    }
}
