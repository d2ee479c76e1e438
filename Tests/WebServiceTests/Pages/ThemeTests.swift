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

    @Test("the built-in theme can be read, and so can one that sets some variables")
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
        #expect(sheet.contains("--accent: #7a1fa2;") && sheet.contains("--accent: #d9a7f5;"))
        #expect(sheet.contains("--font: \"Source Sans 3\", \"Georgia\", serif;"))
        #expect(sheet.contains("--radius: 12px;"))
    }

    @Test("colours that cannot be told apart are refused, with the pair and its contrast")
    func poorContrast() throws {
        try folder.write(
            ":root { --text: #777777; --border-dark: #222222; }", to: "theme.css")
        #expect(
            problems() == [
                "theme.css: --border-dark (#222222) on --background-dark (#16191d) has a contrast of "
                    + "1.10 to 1, and needs 3.0 to 1",
                "theme.css: --text (#777777) on --background (#ffffff) has a contrast of 4.47 to 1, "
                    + "and needs 4.5 to 1",
            ])
    }

    @Test(
        "nothing but variables gets into the style sheet",
        arguments: [
            "", "body { color: red }", ":root { color: red }", ":root { --text: #000 } body {}",
            "@import url(https://evil.example/x.css); :root { }",
            ":root { --accent: url(https://evil.example/) }",
            ":root { --font: x; } </style><script>", ":root { --font: a\\\"}b; }",
            ":root { --font: expression(1); }", ":root { --radius: 1em; }",
            ":root { --radius: 99px; }", ":root { --shadow: #000; }",
            ":root { --text: #000; --text: #111; }", ":root { --text #000 }",
        ])
    func hostile(css: String) throws {
        try folder.write(css, to: "theme.css")
        #expect(!problems().isEmpty)
    }

    @Test("a theme without its style sheet, a logo without a name, and other links are refused")
    func incomplete() throws {
        #expect(problems() == ["theme.css: it is missing or not UTF-8"])
        try folder.write(":root {}", to: "theme.css")
        #expect(problems().isEmpty)
        try folder.write("x", to: "logo.png")
        #expect(problems() == ["theme.yaml: a logo needs the app's name beside it, name: …"])
        try folder.write(String(repeating: "x", count: 300_000), to: "logo.png")
        #expect(problems() == ["logo.png: the file holds more than 262144 bytes"])
        try folder.write("name: Shop\nprivacy-url: 'javascript:alert(1)'\n", to: "theme.yaml")
        #expect(problems().contains { $0.contains("privacy-url") })
        try folder.write("name: Shop\ncolor: red\n", to: "theme.yaml")
        #expect(problems().contains { $0.contains("color") })
    }

    @Test("a change takes effect; one with mistakes is logged once, and changes nothing")
    func followed() throws {
        try folder.write(":root { --radius: 1px; }", to: "theme.css")
        let log = CapturedLog()
        let followed = try ThemeFolder(path: folder.path, logger: log.logger())
        try folder.write(":root { --radius: 2px; }", to: "theme.css")
        for _ in 0..<2 { followed.files.look() }
        #expect(followed.theme.value.radius == 2)
        try folder.write(":root { --text: #eeeeee; }", to: "theme.css")
        for _ in 0..<4 { followed.files.look() }
        #expect(followed.theme.value.radius == 2)
        #expect(log.lines.count { $0.contains("web.theme.reload.failed") } == 1)
        #expect(log.lines.contains { $0.contains("--text (#eeeeee) on --background") })
    }

    @Test("a theme with mistakes stops the start")
    func start() throws {
        try folder.write(":root { --text: #eeeeee; }", to: "theme.css")
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
