/// The part of an email address before the `@` (I-05).
///
///     a–z A–Z 0–9 ! # $ % & ' * + / = ? ^ _ ` { | } ~ -      accepted: RFC 5322 §3.2.3, atext
///     .                                                      accepted between two other characters
///     letters, marks and decimal digits beyond ASCII         accepted: RFC 6531 §3.3
///     all else: control characters, CR and LF, spaces, ", (), <>, [], comma, colon, semicolon,
///     backslash, symbols, and invisible characters           rejected
///
/// Quoted local parts (`"a b"@…`) are legal, but unused in practice, and a risk of injection into
/// headers and shells.
struct LocalPart: Hashable, Sendable {
    /// The limit of RFC 5321 §4.5.3.1.1, in bytes.
    private static let bytesMax = 64
    private static let symbols = Set("!#$%&'*+/=?^_`{|}~-".unicodeScalars)
    private static let kelvinSign: Unicode.Scalar = "\u{212a}"

    /// The text as entered. Mail is sent to this form, since a mail server may distinguish upper
    /// and lower case.
    let entered: String
    /// The canonical bytes for comparisons: Normalization Form C, with ASCII letters in lower case.
    let normalised: [UInt8]

    /// Parses a local part. Nil for an invalid one.
    init?(_ entered: String) {
        let scalars = entered.unicodeScalars
        guard scalars.allSatisfy(Self.isAllowed), Self.hasDotsInside(entered) else { return nil }
        normalised = Self.normalise(entered)
        self.entered = entered
        guard (1...Self.bytesMax).contains(entered.utf8.count),
            normalised.count <= Self.bytesMax
        else { return nil }
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            return scalar.isASCIILetterOrDigit || scalar == "." || symbols.contains(scalar)
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .decimalNumber:
            // Variation selectors and fillers are marks and letters, but invisible.
            return !scalar.properties.isDefaultIgnorableCodePoint
        default: return false
        }
    }

    private static func hasDotsInside(_ text: String) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty }
    }

    /// Form C turns one non-ASCII letter into an ASCII one: the Kelvin sign becomes K. An attacker
    /// could sign up with it and get the canonical address of another user with a k. So the Kelvin
    /// sign is unchanged, and only the text between is normalised.
    private static func normalise(_ text: String) -> [UInt8] {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text.utf8.asciiLowercase }
        let parts = text.unicodeScalars.split(
            separator: kelvinSign, omittingEmptySubsequences: false)
        let normal = parts.map { part in
            NormalFormC.utf8(of: String(part)).asciiLowercase
        }
        return Array(normal.joined(separator: Array(String(kelvinSign).utf8)))
    }
}
