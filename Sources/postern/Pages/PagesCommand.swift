import ArgumentParser
import Glibc
import ServiceRuntime
import WebService

/// `postern pages`: the pages behind the links in mails. Needs no running service.
struct PagesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pages",
        abstract: "Shows the pages of the web service, and checks a theme.",
        discussion: """
            A theme is a folder; set the setting pages-theme of postern-web to it. It is reloaded \
            whenever a file changes. A file may be missing, but not both of the first two.

              theme.css    :root { --accent: #0b5cad; --accent-dark: #8ab8f0; --radius: 6px; }
              theme.yaml   name: Shop
                           home-url: https://shop.example.org/
                           imprint-url: https://shop.example.org/imprint
                           privacy-url: https://shop.example.org/privacy
                           name-beside-logo: true, if the logo does not show it
              logo.svg     or .png, .webp, .jpg, as the other pictures; logo-dark.svg
              icon.svg     for the browser's tab; without it the logo
              background.jpg   around the card, not on phones; background-dark.jpg
              extra.css    your own style sheet, after ours; 64 KiB

            Colours, each also with -dark: --accent (links, buttons), --accent-text, --background. \
            --font lists families. --radius: 0px to 14px. --card-width: 22rem to 36rem. \
            --logo-height and, on phones, --logo-height-phone: 1rem to 6rem.
            """,
        subcommands: [Preview.self])

    /// `postern pages preview`: each page in each state as a file, and all in frames.
    struct Preview: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes every page in every state, to look at.",
            discussion: """
                OUTPUT/index.html leads to a document for each language. It shows all pages on a \
                phone and on a wide screen, in light and in dark colours.
                """)

        @Option(
            help: """
                verify-email, correct-email, change-email, reset-password, forgot-password, \
                delete-account, keep-account, not-me, keep-second-factors, your-data, parent or \
                security; default: all.
                """)
        var page: String?

        @Option(help: "en, de, es, fr or ja; default: all.")
        var language: String?

        @Option(help: "Your theme folder.")
        var theme: String?

        @Flag(help: "German and Spanish with the formal address.")
        var formal = false

        @Option(help: "The folder to write to.")
        var output = "pages-preview"

        @Flag(help: "Open the list of the pages in the browser.")
        var open = false

        func run() throws {
            let pages = try one(of: Page.allCases, page, "page")
            let languages = try one(of: Language.allCases, language, "language")
            let theme = try chosenTheme()
            guard mkdir(output, 0o755) == 0 || errno == EEXIST else {
                throw ToolError.system(output, errno)
            }
            try writeSheet("style.css", theme.styleSheet)
            try TextFile.replace("\(output)/\(PasskeyScript.name)", with: PasskeyScript.text)
            for file in theme.files {
                guard !file.name.hasSuffix(".css") else {
                    try writeSheet(file.name, String(decoding: file.bytes, as: UTF8.self))
                    continue
                }
                try TextFile.replace("\(output)/\(file.name)", with: file.bytes)
            }
            for language in languages {
                for page in pages {
                    for sample in PagePreview.Sample.allCases {
                        guard
                            let document = PagePreview.document(
                                page, sample, language, theme: theme, isFormal: formal)
                        else { continue }
                        let name = PagePreview.fileName(page, sample, language)
                        try TextFile.replace("\(output)/\(name)", with: document.text)
                    }
                }
                if page == nil {
                    let (name, document) = PagePreview.appleReturn(
                        in: language, theme: theme, isFormal: formal)
                    try TextFile.replace("\(output)/\(name)", with: document.text)
                }
                let frames = PagePreview.frames(
                    pages, in: language, theme: theme, isFormal: formal)
                try TextFile.replace("\(output)/\(language.rawValue).html", with: frames)
            }
            let list = "\(output)/index.html"
            try TextFile.replace(list, with: index(languages).text)
            Screen.line(list)
            if open { try DesktopProgram.open(list) }
        }

        /// Writes a style sheet, and one for each colour scheme.
        private func writeSheet(_ name: String, _ text: String) throws {
            try TextFile.replace("\(output)/\(name)", with: text)
            for isDark in [false, true] {
                try TextFile.replace(
                    "\(output)/\(PagePreview.fileName(name, isDark: isDark))",
                    with: PagePreview.text(text, isDark: isDark))
            }
        }

        private func index(_ languages: [Language]) -> HTML {
            let links = languages.map { language -> HTML in
                let code = language.rawValue
                return "<li><a href=\"\(code).html\">\(code)</a></li>\n"
            }
            return """
                <!DOCTYPE html>
                <html lang="en">
                <head><meta charset="utf-8"><title>Pages</title></head>
                <body><h1>Pages</h1>
                <ul>
                \(links)</ul>
                </body>
                </html>

                """
        }

        private func chosenTheme() throws -> Theme {
            guard let theme else { return .standard }
            do throws(ThemeError) {
                return try ThemeFiles(folder: theme).theme()
            } catch {
                throw ToolError(error.problems.joined(separator: "\n"))
            }
        }

        /// The value that an option names; all without the option.
        private func one<Value: RawRepresentable<String>>(
            of all: [Value], _ name: String?, _ option: String
        ) throws -> [Value] {
            guard let name else { return all }
            guard let value = Value(rawValue: name) else {
                let names = all.map(\.rawValue).joined(separator: ", ")
                throw ToolError("there is no \(option) \(name): \(names)")
            }
            return [value]
        }
    }
}
