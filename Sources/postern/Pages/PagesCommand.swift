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
            whenever a file changes.

              theme.css    :root { --accent: #0b5cad; --accent-dark: #8ab8f0; --radius: 6px; }
              theme.yaml   name: Shop
                           imprint-url: https://shop.example.org/imprint
                           privacy-url: https://shop.example.org/privacy
              logo.svg     or logo.png

            Colours, each also with -dark: --background, --text, --accent (links and buttons), \
            --accent-text, --error, --border. --font lists families; nothing else is read.
            """,
        subcommands: [Preview.self])

    /// `postern pages preview`: each page in each state as a file.
    struct Preview: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes every page in every state as a file to look at.")

        @Option(
            help: """
                verify-email, change-email, reset-password, forgot-password, delete-account, \
                keep-account, your-data or parent; default: all.
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
            try TextFile.replace("\(output)/style.css", with: theme.styleSheet)
            if let logo = theme.logoBytes { try TextFile.replace("\(output)/logo", with: logo) }
            var links: [HTML] = []
            for page in pages {
                for sample in PagePreview.Sample.allCases {
                    for language in languages {
                        guard
                            let document = PagePreview.document(
                                page, sample, language, theme: theme, isFormal: formal)
                        else { continue }
                        let name = PagePreview.fileName(page, sample, language)
                        try TextFile.replace("\(output)/\(name)", with: document.text)
                        links.append("<li><a href=\"\(name)\">\(name)</a></li>\n")
                    }
                }
            }
            let list = "\(output)/index.html"
            try TextFile.replace(list, with: index(links).text)
            Screen.line(list)
            if open { try DesktopProgram.open(list) }
        }

        private func index(_ links: [HTML]) -> HTML {
            """
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
