import Texts

/// Our style sheet, of all pages and themes: `Sources/Texts/page/style.css`. It begins with its
/// variables: a block `:root`, and another of those that differ in the dark.
enum StyleSheet {
    /// The sheet.
    static let text = Texts.file("page/style.css") ?? ""
    /// Its variables by name without `--`, in light colours.
    static let light = variables(ofBlock: 0)
    /// Its variables in dark colours.
    static let dark = light.merging(variables(ofBlock: 1)) { _, dark in dark }

    private static func variables(ofBlock index: Int) -> [String: String] {
        let blocks = text.matches(of: /:root\s*\{([^{}]*)\}/).map { $0.1 }
        guard blocks.indices.contains(index) else { return [:] }
        let parts = blocks[index].split(separator: ";").compactMap { part in
            String(part).trimmingSpaces.wholeMatch(of: /--([a-z-]+)\s*:\s*(.+)/)
        }
        return Dictionary(
            parts.map { (String($0.1), String($0.2)) }, uniquingKeysWith: { _, last in last })
    }
}

extension Theme {
    /// The style sheet of the pages: ours, then the variables of the theme, in light and in dark
    /// colours. A block for light colours alone would count in the dark too. Only names and values
    /// of checked types are put into it.
    package var styleSheet: String {
        """
        \(StyleSheet.text)
        :root { \(Self.colors(variables.light)) \(Self.image(background)) \(otherVariables) }
        @media (prefers-color-scheme: dark) {
          :root { \(Self.colors(variables.dark)) \(Self.image(darkBackground ?? background)) }
        }

        """
    }

    private static func colors(_ palette: [String: ThemeColor]) -> String {
        palette.sorted { $0.key < $1.key }.map { "--\($0.key): \($0.value.text);" }
            .joined(separator: " ")
    }

    /// The name of the file is one of ours, so there is nothing in it to escape.
    private static func image(_ file: ThemeFile?) -> String {
        guard let file else { return "--background-image: none;" }
        return "--background-image: url(\"\(file.name)\");"
    }

    private var otherVariables: String {
        let sizes = variables.sizes.sorted { $0.key < $1.key }.map { "--\($0.key): \($0.value);" }
        let families = variables.fonts.map(Self.family).joined(separator: ", ")
        return (["--font: \(families);"] + sizes).joined(separator: " ")
    }

    /// A family as CSS writes it. Generic families are keywords, which quotes would turn into
    /// names.
    private static func family(_ name: String) -> String {
        ["system-ui", "sans-serif", "serif", "monospace", "ui-sans-serif", "ui-serif"]
            .contains(name) ? name : "\"\(name)\""
    }
}
