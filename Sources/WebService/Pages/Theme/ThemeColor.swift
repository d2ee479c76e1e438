/// A colour of a theme, in sRGB.
struct ThemeColor: Hashable, Sendable {
    /// As CSS writes it: `#rrggbb`.
    let text: String
    private let red: UInt8
    private let green: UInt8
    private let blue: UInt8

    /// Parses `#rgb` or `#rrggbb`; nil for any other text.
    init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "#") else { return nil }
        let digits = text.utf8.dropFirst().compactMap {
            Character(UnicodeScalar($0)).hexDigitValue
        }
        guard digits.count == text.utf8.count - 1, digits.count == 3 || digits.count == 6 else {
            return nil
        }
        let pairs = digits.count == 3 ? digits.flatMap { [$0, $0] } : digits
        red = UInt8(pairs[0] * 16 + pairs[1])
        green = UInt8(pairs[2] * 16 + pairs[3])
        blue = UInt8(pairs[4] * 16 + pairs[5])
        self.text = text.lowercased()
    }

    /// The contrast of two colours, 1 to 21 (WCAG 2.2, contrast ratio).
    func contrast(with other: ThemeColor) -> Double {
        let (high, low) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (high + 0.05) / (low + 0.05)
    }

    /// WCAG 2.2, relative luminance.
    private var luminance: Double {
        0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
    }

    /// The share of light of a channel: the inverse of sRGB's transfer function. The power 2.4 is
    /// x² · x^0.4, with the fifth root of x² by Newton's method, so that no C library is needed.
    private static func linear(_ channel: UInt8) -> Double {
        let value = Double(channel) / 255
        guard value > 0.04045 else { return value / 12.92 }
        let base = (value + 0.055) / 1.055
        let square = base * base
        var root = 1.0
        for _ in 0..<32 {
            let fourth = root * root * root * root
            root -= (fourth * root - square) / (5 * fourth)
        }
        return square * root
    }
}
