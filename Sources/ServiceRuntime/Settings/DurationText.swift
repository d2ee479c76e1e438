/// Durations as settings write them: a whole number and a unit (`250ms`, `10s`, `15m`, `1h`,
/// `30d`). A bare number is in milliseconds.
package enum DurationText {
    /// Largest unit first, so that the first one that divides is the natural one.
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    /// The duration of such a text. Nil for any other text, and for a duration that overflows.
    package static func read(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count)
        guard let count = SettingText.integer(String(digits)),
            let scale = unit.isEmpty ? 1 : units.first(where: { $0.name == unit })?.milliseconds
        else { return nil }
        let (milliseconds, overflow) = Int64(count).multipliedReportingOverflow(by: scale)
        return overflow ? nil : .milliseconds(milliseconds)
    }

    /// The shortest text of a duration.
    package static func write(_ duration: Duration) -> String {
        let milliseconds = duration.milliseconds
        if milliseconds == 0 { return "0s" }
        let unit = units.first { milliseconds % $0.milliseconds == 0 } ?? ("ms", 1)
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
}

/// Parsers of plain values in settings.
enum SettingText {
    /// A whole number in decimal: no plus sign, no leading zeros (which other programs read as
    /// octal), no spaces.
    static func integer(_ text: String) -> Int? {
        guard let value = Int(text), String(value) == text else { return nil }
        return value
    }

    /// A decimal number of digits and one point: no sign, exponent or name such as `inf`.
    static func decimal(_ text: String) -> Double? {
        let isPlain = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".")
        }
        return isPlain ? Double(text) : nil
    }

    /// `true` or `false`, or the other forms that YAML's users write.
    static func boolean(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "on": true
        case "false", "no", "off": false
        default: nil
        }
    }
}
