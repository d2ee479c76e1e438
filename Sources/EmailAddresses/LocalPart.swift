/// What stands before the `@` (I-05).
///
///     a–z A–Z 0–9 ! # $ % & ' * + / = ? ^ _ ` { | } ~ -      taken: RFC 5322 §3.2.3, atext
///     .                                                      taken between two others
///     letters, marks and decimal digits beyond ASCII         taken: RFC 6531 §3.3
///     all else: control characters, CR and LF, spaces, ", (), <>, [], comma, colon, semicolon,
///     backslash, symbols, and what cannot be seen            refused
///
/// Quoted local parts (`"a b"@…`) are legal, never used, and a way into headers and shells.
struct LocalPart: Hashable, Sendable {
    /// RFC 5321 §4.5.3.1.1, in bytes.
    private static let bytesMax = 64
    private static let symbols = Set("!#$%&'*+/=?^_`{|}~-".unicodeScalars)
    private static let kelvinSign: Unicode.Scalar = "\u{212a}"

    /// As entered: a mail server may tell upper from lower case, so mail goes to this.
    let entered: String
    /// The bytes by which it is told from others: Normalization Form C, ASCII letters lowered.
    let normalised: [UInt8]

    /// Reads a local part; nil where that is none.
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
            return scalar == "." || symbols.contains(scalar) || scalar.properties.isAlphabetic
                || scalar.properties.numericType == .decimal
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .decimalNumber:
            // Variation selectors and fillers are marks and letters that cannot be seen.
            return !scalar.properties.isDefaultIgnorableCodePoint
        default: return false
        }
    }

    private static func hasDotsInside(_ text: String) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty }
    }

    /// Form C turns the Kelvin sign, and no other letter, into an ASCII one. Left at that, whoever
    /// signs up with it would have the address of somebody with a k. So it stays what it is, and
    /// what stands between is normalised.
    private static func normalise(_ text: String) -> [UInt8] {
        let parts = text.unicodeScalars.split(
            separator: kelvinSign, omittingEmptySubsequences: false)
        let normal = parts.map { part in
            NormalFormC.utf8(of: String(part)).map { (65...90).contains($0) ? $0 | 0x20 : $0 }
        }
        return Array(normal.joined(separator: Array(String(kelvinSign).utf8)))
    }
}
