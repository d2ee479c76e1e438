/// The variables of a theme: the operator's, checked, and ours where there is none. Texts, lines
/// and the colours of errors are no variables: on the card they can always be told apart.
struct ThemeVariables: Hashable, Sendable {
    /// A length, in CSS.
    private struct Length {
        let name: String
        let unit: String
        let range: ClosedRange<Int>
    }

    /// The colours, each also with `-dark`: of links, filled buttons and the focus; of text on
    /// these buttons; of the ground around the card, on which nothing else is.
    private static let colorNames = ["accent", "accent-text", "background"]
    private static let lengths = [
        Length(name: "radius", unit: "px", range: 0...14),
        Length(name: "card-width", unit: "rem", range: 22...36),
        Length(name: "logo-height", unit: "rem", range: 1...6),
        Length(name: "logo-height-phone", unit: "rem", range: 1...6),
    ]
    /// Variables of former themes.
    private static let gone = ["text", "error", "border"]
    /// Text needs a contrast of 4.5 (WCAG 2.2, 1.4.3).
    private static let contrastMin = 4.5

    /// Colours by name without `--`, in light colours.
    let light: [String: ThemeColor]
    /// The same in dark colours.
    let dark: [String: ThemeColor]
    /// Names of font families, best first.
    let fonts: [String]
    /// Lengths by name, as CSS writes them.
    let sizes: [String: String]

    /// Checks variables, by their names without `--`.
    /// - Throws: `ThemeError` with all problems.
    init(_ variables: [String: String]) throws(ThemeError) {
        var problems = Self.unknown(variables)
        light = Self.colors(variables, suffix: "", StyleSheet.light, &problems)
        dark = Self.colors(variables, suffix: "-dark", StyleSheet.dark, &problems)
        fonts = Self.fonts(variables["font"] ?? StyleSheet.light["font"] ?? "", &problems)
        sizes = Self.sizes(variables, &problems)
        guard problems.isEmpty else { throw ThemeError(problems: problems.sorted()) }
    }

    private static func unknown(_ variables: [String: String]) -> [String] {
        let colors = colorNames + colorNames.map { $0 + "-dark" }
        let known = Set(colors + lengths.map(\.name) + ["font"])
        let former = Set(gone + gone.map { $0 + "-dark" })
        return variables.keys.filter { !known.contains($0) }.map { name in
            former.contains(name)
                ? "--\(name): texts and lines have our colours, on a card of ours: remove it, and "
                    + "set --accent and --background"
                : "--\(name): there is no such variable"
        }
    }

    private static func colors(
        _ variables: [String: String], suffix: String, _ ours: [String: String],
        _ problems: inout [String]
    ) -> [String: ThemeColor] {
        var colors: [String: ThemeColor] = [:]
        for name in colorNames {
            let text = variables[name + suffix] ?? ours[name] ?? ""
            colors[name] = ThemeColor(text)
            if colors[name] == nil {
                problems.append("--\(name)\(suffix): \(text) is not a colour such as #1b1f24")
            }
        }
        guard let accent = colors["accent"], let text = colors["accent-text"] else { return colors }
        // Of the card's grounds the quiet one is nearer to the accent, in light and in the dark.
        let quiet = ours["quiet"].flatMap { ThemeColor($0) }
        problems += [
            poorContrast("--accent\(suffix)", accent, "the card", quiet),
            poorContrast("--accent-text\(suffix)", text, "--accent\(suffix)", accent),
        ].compactMap { $0 }
        return colors
    }

    /// What is wrong with a colour on another; nil for nothing.
    private static func poorContrast(
        _ name: String, _ color: ThemeColor, _ ground: String, _ back: ThemeColor?
    ) -> String? {
        guard let back else { return nil }
        let contrast = color.contrast(with: back)
        guard contrast < contrastMin else { return nil }
        // Rounded down: 4.499 is not 4.5.
        let hundredths = Int(contrast * 100)
        let digits = hundredths % 100
        return "\(name) (\(color.text)) on \(ground) (\(back.text)) has a contrast of "
            + "\(hundredths / 100).\(digits < 10 ? "0" : "")\(digits) to 1, and needs "
            + "\(contrastMin) to 1"
    }

    private static func fonts(_ text: String, _ problems: inout [String]) -> [String] {
        let names = text.split(separator: ",").map { part in
            part.filter { $0 != "\"" && $0 != "'" }.trimmingSpaces
        }
        let isValid = names.allSatisfy { name in
            (1...64).contains(name.utf8.count)
                && name.utf8.allSatisfy { $0.isLetterOrDigit || $0 == 0x20 || $0 == 0x2D }
        }
        if names.isEmpty || names.count > 8 || !isValid {
            problems.append(
                "--font: list up to eight names of font families, such as Georgia, serif")
        }
        return names
    }

    private static func sizes(
        _ variables: [String: String], _ problems: inout [String]
    ) -> [String: String] {
        var sizes: [String: String] = [:]
        for length in lengths {
            let (name, unit) = (length.name, length.unit)
            let (least, most) = (length.range.lowerBound, length.range.upperBound)
            let text = variables[name] ?? StyleSheet.light[name] ?? ""
            sizes[name] = text
            guard let match = text.wholeMatch(of: /([0-9]{1,2}(?:\.[0-9]{1,2})?)(px|rem)/),
                match.2 == unit, let number = Double(String(match.1)),
                (Double(least)...Double(most)).contains(number)
            else {
                problems.append("--\(name): \(text) is not \(least)\(unit) to \(most)\(unit)")
                continue
            }
        }
        return sizes
    }
}

extension UInt8 {
    /// Whether it is a letter or digit of ASCII.
    fileprivate var isLetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}

extension String {
    /// Without spaces at its start and end.
    var trimmingSpaces: String {
        let start = drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }
}
