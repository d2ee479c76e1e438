import ServiceRuntime
import TestSupport
import Testing

@testable import WebService

@Suite("The style sheet of pages")
struct StyleSheetTests {
    /// Colours of text and icons on their grounds, with the contrast that they need: text 4.5
    /// (WCAG 2.2, 1.4.3), borders of fields, icons and the focus 3 (1.4.11).
    private static let pairs: [(front: String, back: String, atLeast: Double)] = [
        ("text", "card", 4.5), ("text", "quiet", 4.5), ("text", "danger-quiet", 4.5),
        ("muted", "card", 4.5), ("muted", "quiet", 4.5),
        ("accent-text", "accent", 4.5), ("accent", "card", 4.5), ("accent", "quiet", 4.5),
        ("danger", "card", 4.5), ("danger", "danger-quiet", 4.5), ("card", "danger", 4.5),
        ("success", "success-quiet", 3), ("field", "card", 3), ("caution", "caution-quiet", 3),
        ("text", "success-quiet", 4.5), ("text", "caution-quiet", 4.5),
    ]
    /// The themes that come with the checkout: no radius with a serif, a dark picture, a bright
    /// accent.
    private static let themes = ["serif", "picture", "yellow"]
    private static let bytesMax = 16 * 1024
    private static let pageBytesMax = 32 * 1024

    private static func theme(_ name: String) throws -> Theme {
        try ThemeFiles(folder: CommittedFile("Tests/Interop/themes/\(name)").path).theme()
    }

    /// Every page in every state, in languages whose rules differ, with and without what a theme
    /// can have.
    private static func documents() -> [String] {
        var theme = Theme.standard
        theme.name = "Shop"
        theme.imprintURL = "https://shop.example.org/imprint"
        theme.logo = ThemeFile(name: "logo.svg", bytes: [1], mediaType: "image/svg+xml")
        theme.darkLogo = ThemeFile(name: "logo-dark.svg", bytes: [1], mediaType: "image/svg+xml")
        let variants: [(Theme, Language)] = [
            (theme, .english), (.standard, .german), (.standard, .japanese),
        ]
        var documents: [String] = []
        for (theme, language) in variants {
            let (_, page) = PagePreview.appleReturn(in: language, theme: theme, isFormal: false)
            documents.append(page.text)
            for page in Page.allCases {
                for sample in PagePreview.Sample.allCases {
                    let document = PagePreview.document(
                        page, sample, language, theme: theme, isFormal: false)
                    if let document { documents.append(document.text) }
                }
            }
        }
        return documents
    }

    @Test("it has no rule that no page in any state uses, and pages have no class without a rule")
    func unused() {
        let rules = StyleRules(StyleSheet.text)
        var unused = Set(rules.rules.flatMap(\.selectors))
        let known = unused.joined(separator: " ").matches(of: /\.([a-z]+)/).map { $0.1 }
        #expect(unused.count > 50)
        var classes: Set<Substring> = []
        for document in Self.documents() {
            let page = PageElements(document)
            for selector in unused where page.match(selector) != false {
                #expect(page.match(selector) == true, "\(selector) cannot be read")
                unused.remove(selector)
            }
            classes.formUnion(page.all.flatMap(\.classes))
        }
        #expect(unused.isEmpty)
        #expect(classes.subtracting(known).isEmpty)
    }

    @Test(
        "a selector matches as in a browser, and one that cannot be read is found",
        arguments: [
            ("main .a", true), (".b .a", false), (".a.b", false), ("p", true), ("*", true),
            (":root", true), (":lang(ja) p", true), (":lang(de) p", false), ("p[id]", true),
            ("p[title]", false), (".a::before", true), (".a:hover", true), ("main > p", nil),
            (".a:first-child", nil), ("p+p", nil), ("", nil),
        ] as [(String, Bool?)])
    func selectors(selector: String, isMatch: Bool?) {
        let page = PageElements(
            "<html lang=\"ja\"><main><wbr><p class=\"a\" id=\"b\">x</p></main></html>")
        #expect(page.match(selector) == isMatch)
    }

    @Test("every colour that text, borders and grounds have is among the compared pairs")
    func complete() {
        let colors = StyleRules(StyleSheet.text).rules.filter { $0.selectors != [":root"] }
            .flatMap(\.declarations)
        func used(_ names: [String]) -> Set<String> {
            let values = colors.filter { names.contains($0.key) }.map(\.value)
            return Set(values.flatMap { $0.matches(of: /var\(--([a-z-]+)\)/).map { "\($0.1)" } })
        }
        let fronts = used([
            "color", "border-color", "border", "border-top", "outline", "box-shadow",
        ])
        // A line between parts says nothing, and no radius is a colour.
        let apart: Set = ["line", "shadow", "radius"]
        #expect(fronts.subtracting(apart).subtracting(Self.pairs.map(\.front)).isEmpty)
        // On the ground around the card nothing is; a point of a list is no ground.
        let ground: Set = ["background", "background-image", "muted"]
        let backs = used(["background"]).subtracting(ground)
        #expect(backs.subtracting(Self.pairs.map(\.back)).isEmpty)
    }

    @Test("colours of our own are in the variables only: no page has another one")
    func variablesOnly() {
        for rule in StyleRules(StyleSheet.text).rules where rule.selectors != [":root"] {
            for (name, value) in rule.declarations {
                #expect(!value.contains("#") && !value.contains("rgb"), "\(name): \(value)")
            }
        }
    }

    @Test(
        "texts can be told from their grounds in all themes, by light and dark",
        arguments: ["standard"] + themes)
    func contrast(name: String) throws {
        let theme = try name == "standard" ? Theme.standard : Self.theme(name)
        let rules = StyleRules(theme.styleSheet)
        for isDark in [false, true] {
            let variables = rules.variables(isDark: isDark)
            for pair in Self.pairs {
                let front = try #require(ThemeColor(variables[pair.front] ?? ""))
                let back = try #require(ThemeColor(variables[pair.back] ?? ""))
                let contrast = front.contrast(with: back)
                #expect(contrast >= pair.atLeast, "\(pair), dark: \(isDark)")
            }
        }
    }

    @Test("the sheet has 16 KiB at most, and each page with it 32 KiB, in two or three requests")
    func sizes() {
        let sheet = Theme.standard.styleSheet
        let bytes = sheet.utf8.count
        #expect(bytes <= Self.bytesMax)
        #expect(!sheet.contains("url(") && !sheet.contains("@import"))
        for document in Self.documents() {
            #expect(document.utf8.count + bytes <= Self.pageBytesMax)
            let loaded = PageElements(document).all.filter { element in
                ["link", "script", "iframe", "object", "embed"].contains(element.name)
            }.map { $0.attributes["rel"] ?? $0.name }
            let hasScript = document.contains("data-passkey=")
            #expect(loaded == ["stylesheet", "icon"] + (hasScript ? ["script"] : []))
        }
    }
}
