/// A style sheet as its tests need it: rules with their media query, and the elements that a
/// selector matches. It reads the CSS that our sheet has, and no other.
struct StyleRules {
    struct Rule {
        let selectors: [String]
        let declarations: [String: String]
        /// The query of the `@media` around it; empty for none.
        let media: String
    }

    let rules: [Rule]

    init(_ text: String) {
        var rules: [Rule] = []
        var (media, rest) = ("", Substring(text.replacing(/\/\*(?s:.*?)\*\//, with: " ")))
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            let start = Self.trimmed(rest[..<brace])
            let opens = rest[brace] == "{"
            rest = rest[rest.index(after: brace)...]
            if !opens {
                media = ""
            } else if start.hasPrefix("@media") {
                media = Self.trimmed(start.dropFirst("@media".count))
            } else {
                let end = rest.firstIndex(of: "}") ?? rest.endIndex
                let selectors = start.split(separator: ",").map { Self.trimmed($0) }
                rules.append(
                    Rule(
                        selectors: selectors, declarations: Self.declarations(rest[..<end]),
                        media: media))
                rest = rest[end...].dropFirst()
            }
        }
        self.rules = rules
    }

    /// The variables of `:root` in one of the two colour schemes, as the browser computes them.
    func variables(isDark: Bool) -> [String: String] {
        var variables: [String: String] = [:]
        for rule in rules where rule.selectors == [":root"] {
            guard rule.media.isEmpty || isDark && rule.media == "(prefers-color-scheme: dark)"
            else { continue }
            for (name, value) in rule.declarations where name.hasPrefix("--") {
                variables[String(name.dropFirst(2))] = value
            }
        }
        return variables
    }

    private static func declarations(_ block: Substring) -> [String: String] {
        var declarations: [String: String] = [:]
        for part in block.split(separator: ";") {
            let sides = part.split(separator: ":", maxSplits: 1)
            guard sides.count == 2 else { continue }
            declarations[trimmed(sides[0])] = trimmed(sides[1])
        }
        return declarations
    }

    private static func trimmed(_ text: Substring) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

/// The elements of a page.
struct PageElements {
    struct Element {
        let name: String
        let attributes: [String: String]
        /// The index of the element around it; nil for the outermost.
        let parent: Int?

        var classes: [Substring] { (attributes["class"] ?? "").split(separator: " ") }
    }

    private static let void: Set<String> = [
        "meta", "link", "input", "img", "br", "source", "wbr",
    ]

    let all: [Element]

    /// The elements of a well-formed document (`MarkupCheck`).
    init(_ document: String) {
        var (all, open): ([Element], [Int]) = ([], [])
        for tag in document.matches(of: /<(\/?)([a-z][a-z0-9]*)((?: [^<>]*)?)>/) {
            guard tag.1.isEmpty else {
                open.removeLast()
                continue
            }
            var attributes: [String: String] = [:]
            for attribute in tag.3.matches(of: /([a-zA-Z-]+)(?:="([^"]*)")?/) {
                attributes[String(attribute.1)] = attribute.2.map(String.init) ?? ""
            }
            let name = String(tag.2)
            all.append(Element(name: name, attributes: attributes, parent: open.last))
            if !Self.void.contains(name) { open.append(all.count - 1) }
        }
        self.all = all
    }

    /// Whether a selector matches an element of the page. What a person does with an element, such
    /// as to point at it, counts as done.
    /// - Returns: nil for a selector that cannot be read.
    func match(_ selector: String) -> Bool? {
        let parts = selector.split(separator: " ").map(Compound.init)
        guard !parts.isEmpty, !parts.contains(where: { $0 == nil }) else { return nil }
        let compounds = parts.compactMap { $0 }
        return all.indices.contains { matches(compounds[...], at: $0) }
    }

    private func matches(_ compounds: ArraySlice<Compound>, at index: Int) -> Bool {
        guard let last = compounds.last else { return true }
        let element = all[index]
        guard last.matches(element, language: all.first?.attributes["lang"] ?? "") else {
            return false
        }
        let before = compounds.dropLast()
        guard !before.isEmpty else { return true }
        var around = element.parent
        while let outer = around {
            if matches(before, at: outer) { return true }
            around = all[outer].parent
        }
        return false
    }
}

/// A selector without a combinator: `input[aria-invalid]`, `:lang(de)`, `.danger:hover`.
private struct Compound: Equatable {
    /// Empty for any.
    private let name: String
    private let classes: [String]
    private let attributes: [String]
    private let languages: [String]

    init?(_ text: Substring) {
        guard let whole = text.wholeMatch(of: /([a-z][a-z0-9]*|\*)?((?:[.:\[][^.:\[]*)*)/) else {
            return nil
        }
        var name = whole.1.map(String.init) ?? ""
        var (classes, attributes, languages): ([String], [String], [String]) = ([], [], [])
        for part in whole.2.matches(of: /(::|:|\.|\[)([a-z-]+)(?:\(([a-z]+)\))?\]?/) {
            let word = String(part.2)
            switch part.1 {
            case ".": classes.append(word)
            case "[": attributes.append(word)
            case ":" where word == "lang": languages.append(part.3.map(String.init) ?? "")
            case ":" where word == "root": name = "html"
            case ":" where ["hover", "focus", "focus-visible"].contains(word): break
            case "::" where word == "before": break
            default: return nil
            }
        }
        self.name = name == "*" ? "" : name
        (self.classes, self.attributes, self.languages) = (classes, attributes, languages)
    }

    func matches(_ element: PageElements.Element, language: String) -> Bool {
        (name.isEmpty || name == element.name)
            && classes.allSatisfy { element.classes.contains(Substring($0)) }
            && attributes.allSatisfy { element.attributes[$0] != nil }
            && languages.allSatisfy { $0 == language }
    }
}
