/// The look of the pages: colours, a font, a logo and links. It is data: the style sheet is written
/// from checked values, and nothing of the operator's files is passed on as code.
package struct Theme: Hashable, Sendable {
    /// The colours of one mode.
    struct Palette: Hashable, Sendable {
        /// By the names of `Theme.colorNames`.
        let colors: [String: ThemeColor]

        subscript(_ name: String) -> ThemeColor? { colors[name] }
    }

    /// A picture.
    struct Logo: Hashable, Sendable {
        let bytes: [UInt8]
        let mediaType: String
    }

    /// The colours: of the page, of text on it, of links and buttons, of text on buttons, of errors
    /// and of the borders of fields.
    static let colorNames = ["background", "text", "accent", "accent-text", "error", "border"]
    /// Which colours have to be told apart, and by how much: text by 4.5 (WCAG 2.2, 1.4.3), borders
    /// of fields by 3 (1.4.11).
    private static let pairs: [(front: String, back: String, atLeast: Double)] = [
        ("text", "background", 4.5), ("accent", "background", 4.5),
        ("accent-text", "accent", 4.5), ("error", "background", 4.5),
        ("border", "background", 3),
    ]

    /// The built-in look.
    package static let standard: Theme = {
        do throws(ThemeError) {
            return try Theme(variables: [:])
        } catch {
            preconditionFailure("the built-in theme is invalid: \(error)")
        }
    }()

    private static let standardColors = [
        "background": "#ffffff", "text": "#1b1f24", "accent": "#0b5cad", "accent-text": "#ffffff",
        "error": "#b3261e", "border": "#6b7280",
        "background-dark": "#16191d", "text-dark": "#f1f3f5", "accent-dark": "#8ab8f0",
        "accent-text-dark": "#10161d", "error-dark": "#ffb4ab", "border-dark": "#8b939c",
    ]

    let light: Palette
    let dark: Palette
    /// Names of font families, best first.
    let fonts: [String]
    /// The radius of buttons and fields, in pixels.
    let radius: Int
    /// The app's name as users know it; may be empty.
    var name = ""
    /// The page with the operator's name and address; empty for none.
    var imprintURL = ""
    /// The page about privacy; empty for none.
    var privacyURL = ""
    /// The logo; nil for the name as text.
    var logo: Logo?
    /// The logo's file; nil for none.
    package var logoBytes: [UInt8]? { logo?.bytes }

    /// A theme of variables by their names without `--`. Those that are missing have the built-in
    /// values.
    /// - Throws: `ThemeError` with all problems.
    init(variables: [String: String]) throws(ThemeError) {
        var problems: [String] = []
        var colors: [String: ThemeColor] = [:]
        for (name, standard) in Self.standardColors {
            let text = variables[name] ?? standard
            colors[name] = ThemeColor(text)
            if colors[name] == nil {
                problems.append("--\(name): \(text) is not a colour such as #1b1f24")
            }
        }
        let known = Set(Self.standardColors.keys).union(["font", "radius"])
        problems += variables.keys.filter { !known.contains($0) }.map {
            "--\($0): there is no such variable"
        }
        light = Self.palette(colors, suffix: "")
        dark = Self.palette(colors, suffix: "-dark")
        fonts = Self.fonts(variables["font"], &problems)
        radius = Self.radius(variables["radius"], &problems)
        problems += Self.poorContrasts(light, "") + Self.poorContrasts(dark, "-dark")
        guard problems.isEmpty else { throw ThemeError(problems: problems.sorted()) }
    }

    private static func palette(_ colors: [String: ThemeColor], suffix: String) -> Palette {
        Palette(
            colors: Dictionary(
                uniqueKeysWithValues: colorNames.compactMap { name in
                    colors[name + suffix].map { (name, $0) }
                }))
    }

    private static func poorContrasts(_ palette: Palette, _ suffix: String) -> [String] {
        pairs.compactMap { pair in
            guard let front = palette[pair.front], let back = palette[pair.back] else { return nil }
            let contrast = front.contrast(with: back)
            guard contrast < pair.atLeast else { return nil }
            // Rounded down: 4.499 is not 4.5.
            let hundredths = Int(contrast * 100)
            let digits = hundredths % 100
            return "--\(pair.front)\(suffix) (\(front.text)) on --\(pair.back)\(suffix) "
                + "(\(back.text)) has a contrast of \(hundredths / 100)."
                + "\(digits < 10 ? "0" : "")\(digits) to 1, and needs \(pair.atLeast) to 1"
        }
    }

    private static func fonts(_ text: String?, _ problems: inout [String]) -> [String] {
        guard let text else { return ["system-ui", "sans-serif"] }
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

    private static func radius(_ text: String?, _ problems: inout [String]) -> Int {
        guard let text else { return 6 }
        guard text.hasSuffix("px"), let radius = Int(text.dropLast(2)), (0...32).contains(radius)
        else {
            problems.append("--radius: \(text) is not 0px to 32px")
            return 0
        }
        return radius
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
