import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import WebService

@Suite("Themes: data, checked when they are read")
struct ThemeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func problems() -> [String] {
        do throws(ThemeError) {
            _ = try ThemeFiles(folder: folder.path).theme()
            return []
        } catch {
            return error.problems
        }
    }

    @Test(
        "contrast is that of WCAG",
        arguments: [
            ("#000000", "#ffffff", 21.0), ("#ffffff", "#ffffff", 1.0), ("#777777", "#fff", 4.478),
            ("#767676", "#ffffff", 4.542), ("#0000ff", "#ffffff", 8.592),
            ("#ff0000", "#000000", 5.252),
        ])
    func contrast(front: String, back: String, expected: Double) throws {
        let (one, other) = (try #require(ThemeColor(front)), try #require(ThemeColor(back)))
        #expect(abs(one.contrast(with: other) - expected) < 0.001)
        #expect(one.contrast(with: other) == other.contrast(with: one))
    }

    @Test(
        "only hexadecimal colours are colours",
        arguments: ["red", "#12", "#1234", "#12345g", "rgb(0,0,0)", "#123;}", "", "#", "＃123"])
    func noColor(text: String) {
        #expect(ThemeColor(text) == nil)
    }

    @Test("the built-in theme can be read, and so can one that sets some variables, of both modes")
    func good() throws {
        _ = Theme.standard
        try folder.write(
            """
            /* ours */
            :root {
              --accent: #7A1FA2; --accent-dark: #d9a7f5;
              --font: "Source Sans 3", Georgia, serif; --radius: 12px;
            }
            """, to: "theme.css")
        try folder.write(
            "name: Shop\nimprint-url: https://shop.example.org/imprint\n", to: "theme.yaml")
        try folder.write("<svg xmlns=\"http://www.w3.org/2000/svg\"/>", to: "logo.svg")
        let theme = try ThemeFiles(folder: folder.path).theme()
        #expect(theme.name == "Shop")
        #expect(theme.logo?.mediaType == "image/svg+xml")
        let sheet = theme.styleSheet
        #expect(sheet.hasPrefix(StyleSheet.text))
        let light = StyleRules(sheet).variables(isDark: false)
        let dark = StyleRules(sheet).variables(isDark: true)
        #expect(light["accent"] == "#7a1fa2" && dark["accent"] == "#d9a7f5")
        #expect(light["background"] == StyleSheet.light["background"])
        #expect(dark["background"] == StyleSheet.dark["background"])
        #expect(light["font"] == "\"Source Sans 3\", \"Georgia\", serif")
        #expect(light["radius"] == "12px" && light["background-image"] == "none")
    }

    @Test("pictures are named by the style sheet, and the operator's own sheet is as it is")
    func files() throws {
        try folder.write("name: Shop\nname-beside-logo: on\n", to: "theme.yaml")
        for name in ["logo.svg", "logo-dark.png", "icon.png", "background.webp", "extra.css"] {
            try folder.write("}{ </style> \(name)", to: name)
        }
        let theme = try ThemeFiles(folder: folder.path).theme()
        #expect(theme.isNameBesideLogo)
        #expect(
            theme.files.map(\.name) == [
                "icon.png", "logo.svg", "logo-dark.png", "background.webp", "extra.css",
            ])
        #expect(
            theme.files.map(\.mediaType) == [
                "image/png", "image/svg+xml", "image/png", "image/webp", "text/css; charset=utf-8",
            ])
        #expect(theme.extraSheet?.bytes == Array("}{ </style> extra.css".utf8))
        let rules = StyleRules(theme.styleSheet)
        for isDark in [false, true] {
            let image = rules.variables(isDark: isDark)["background-image"]
            #expect(image == "url(\"background.webp\")")
        }
        try folder.write("x", to: "background-dark.jpg")
        let both = StyleRules(try ThemeFiles(folder: folder.path).theme().styleSheet)
        #expect(
            both.variables(isDark: true)["background-image"] == "url(\"background-dark.jpg\")")
        #expect(both.variables(isDark: false)["background-image"] == "url(\"background.webp\")")
    }

    @Test("colours that cannot be told apart are refused, with the pair and its contrast")
    func poorContrast() throws {
        try folder.write(
            ":root { --accent: #777777; --accent-text-dark: #777777; }", to: "theme.css")
        #expect(
            problems() == [
                "theme.css: --accent (#777777) on the card (#f5f6f8) has a contrast of 4.14 to 1, "
                    + "and needs 4.5 to 1",
                "theme.css: --accent-text (#ffffff) on --accent (#777777) has a contrast of 4.47 "
                    + "to 1, and needs 4.5 to 1",
                "theme.css: --accent-text-dark (#777777) on --accent-dark (#a9baff) has a contrast "
                    + "of 2.37 to 1, and needs 4.5 to 1",
            ])
    }

    @Test(
        "variables of former themes are named, with what to set instead",
        arguments: ["text", "error", "border", "text-dark", "error-dark", "border-dark"])
    func former(name: String) throws {
        try folder.write(":root { --\(name): #000000; }", to: "theme.css")
        let found = problems()
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("theme.css: --\(name): ") == true)
        #expect(found.first?.hasSuffix("remove it, and set --accent and --background") == true)
    }

    @Test(
        "sizes have bounds",
        arguments: [
            ("radius", "0px", "15px"), ("radius", "14px", "8rem"),
            ("card-width", "22rem", "21.9rem"), ("card-width", "36rem", "400px"),
            ("logo-height", "1.5rem", "6.01rem"), ("logo-height-phone", "6rem", "-1rem"),
        ])
    func sizes(name: String, good: String, bad: String) throws {
        try folder.write(":root { --\(name): \(good); }", to: "theme.css")
        #expect(problems().isEmpty)
        try folder.write(":root { --\(name): \(bad); }", to: "theme.css")
        #expect(problems().count == 1)
        #expect(problems().first?.contains("--\(name): \(bad) is not") == true)
    }

    @Test(
        "nothing but variables gets into the style sheet",
        arguments: [
            "", "body { color: red }", ":root { color: red }", ":root { --accent: #000 } body {}",
            "@import url(https://evil.example/x.css); :root { }",
            ":root { --accent: url(https://evil.example/) }",
            ":root { --font: x; } </style><script>", ":root { --font: a\\\"}b; }",
            ":root { --font: expression(1); }", ":root { --radius: 1em; }",
            ":root { --radius: 99px; }", ":root { --shadow: #000; }", ":root { --card: #000; }",
            ":root { --background-image: url(x); }",
            ":root { --accent: #000; --accent: #111; }", ":root { --accent #000 }",
        ])
    func hostile(css: String) throws {
        try folder.write(css, to: "theme.css")
        #expect(!problems().isEmpty)
    }

    @Test("a folder without a theme, a logo without a name, and other links are refused")
    func incomplete() throws {
        #expect(problems() == ["there is neither theme.css nor theme.yaml"])
        try folder.write("name: Shop\nhome-url: https://shop.example.org/\n", to: "theme.yaml")
        #expect(problems().isEmpty)
        try folder.write("home-url: https://shop.example.org/\n", to: "theme.yaml")
        try folder.write(":root {}", to: "theme.css")
        #expect(problems().isEmpty)
        try folder.write("x", to: "logo.png")
        #expect(problems() == ["theme.yaml: a logo needs the app's name beside it, name: …"])
        try folder.write(String(repeating: "x", count: 300_000), to: "logo.png")
        #expect(problems() == ["logo.png: the file holds more than 262144 bytes"])
        for url in ["imprint-url", "privacy-url", "home-url"] {
            try folder.write("name: Shop\n\(url): 'javascript:alert(1)'\n", to: "theme.yaml")
            #expect(problems().contains { $0.contains(url) })
        }
        try folder.write("name: Shop\ncolor: red\n", to: "theme.yaml")
        #expect(problems().contains { $0.contains("color") })
    }

    @Test("the operator's own sheet has 64 KiB at most")
    func extraSheet() throws {
        try folder.write("name: Shop\n", to: "theme.yaml")
        try folder.write(String(repeating: "x", count: 64 * 1024), to: "extra.css")
        #expect(problems().isEmpty)
        try folder.write(String(repeating: "x", count: 64 * 1024 + 1), to: "extra.css")
        #expect(problems() == ["extra.css: the file holds more than 65536 bytes"])
    }

    @Test("a logo for dark colours alone is refused")
    func darkLogo() throws {
        try folder.write("name: Shop\n", to: "theme.yaml")
        try folder.write("x", to: "logo-dark.svg")
        #expect(problems() == ["logo-dark: there is no logo for light colours"])
    }

    @Test("a change takes effect; one with mistakes is logged once, and changes nothing")
    func followed() throws {
        try folder.write(":root { --radius: 1px; }", to: "theme.css")
        let log = CapturedLog()
        let followed = try ThemeFolder(path: folder.path, logger: log.logger())
        try folder.write(":root { --radius: 2px; }", to: "theme.css")
        for _ in 0..<2 { followed.files.look() }
        #expect(followed.theme.value.variables.sizes["radius"] == "2px")
        try folder.write(":root { --accent: #eeeeee; }", to: "theme.css")
        for _ in 0..<4 { followed.files.look() }
        #expect(followed.theme.value.variables.sizes["radius"] == "2px")
        #expect(log.lines.count { $0.contains("web.theme.reload.failed") } == 1)
        #expect(log.lines.contains { $0.contains("--accent (#eeeeee) on the card") })
    }

    @Test("a theme with mistakes stops the start")
    func start() throws {
        try folder.write(":root { --accent: #eeeeee; }", to: "theme.css")
        let outcome = SettingsLoader(
            program: "postern-web", summary: "a sample.",
            arguments: ["--pages=on", "--pages-theme=\(folder.path)"], environment: [:]
        ).load(WebSettings.self)
        guard case .exit(let text, exitCode: 78) = outcome else {
            Issue.record("it was accepted")
            return
        }
        #expect(text.contains("has a contrast of"))
    }
}
