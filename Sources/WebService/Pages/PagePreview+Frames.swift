package import ServiceRuntime

/// All pages in all states beside each other (`postern pages preview`): each on a phone and on a
/// wide screen, in light and in dark colours.
extension PagePreview {
    /// The widths of pages in CSS pixels.
    private static let widths = [390, 1_280]
    private static let darkQuery = "(prefers-color-scheme: dark)"
    private static let bothSchemes = "light dark"

    /// A file in one of the two colour schemes, whatever the browser's is: `style.dark.css`.
    package static func fileName(_ name: String, isDark: Bool) -> String {
        name.replacing(".css", with: isDark ? ".dark.css" : ".light.css")
    }

    /// The text of a style sheet or page for one of the two. A page cannot set it for its frames,
    /// so the media queries are replaced.
    package static func text(_ text: String, isDark: Bool) -> String {
        text.replacing(darkQuery, with: isDark ? "all" : "not all")
            .replacing(bothSchemes, with: isDark ? "dark" : "light")
    }

    /// The document with the frames. It expects the style sheets of both schemes and the theme's
    /// files beside it.
    package static func frames(
        _ pages: [Page], in language: Language, theme: Theme, isFormal: Bool
    ) -> String {
        var sections = pages.flatMap { page in
            Sample.allCases.compactMap { sample in
                document(page, sample, language, theme: theme, isFormal: isFormal).map {
                    section(fileName(page, sample, language), $0.text)
                }
            }
        }
        if pages == Page.allCases {
            let (name, page) = appleReturn(in: language, theme: theme, isFormal: isFormal)
            sections.append(section(name, page.text))
        }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>Pages, \(language.rawValue)</title>
            <style>
            body { margin: 16px; background: #9aa1ab; color: #15181d; font-family: sans-serif; }
            h2 { font-size: 16px; }
            section { margin-bottom: 40px; }
            .row { display: flex; gap: 16px; align-items: flex-start; }
            iframe { border: 0; flex: none; }
            .too-wide { outline: 4px solid #d00000; }
            </style>
            </head>
            <body>
            \(sections.joined(separator: "\n"))
            <script>
            addEventListener("load", () => {
              for (const frame of document.querySelectorAll("iframe")) {
                const page = frame.contentDocument.documentElement;
                frame.style.height = page.scrollHeight + "px";
                frame.className = page.scrollWidth > page.clientWidth ? "too-wide" : "fits";
              }
            });
            </script>
            </body>
            </html>

            """
    }

    private static func section(_ name: String, _ document: String) -> String {
        let frames = widths.flatMap { width in
            [false, true].map { frame(document, width: width, isDark: $0) }
        }
        return """
            <section>
            <h2><a href="\(name)">\(name)</a></h2>
            <div class="row">
            \(frames.joined(separator: "\n"))
            </div>
            </section>
            """
    }

    /// A page in an iframe of its own, in which scripts do not run and links do not navigate this
    /// document.
    private static func frame(_ document: String, width: Int, isDark: Bool) -> String {
        let named = ["style.css", "extra.css"].reduce(document) { text, sheet in
            text.replacing("\"\(sheet)\"", with: "\"\(fileName(sheet, isDark: isDark))\"")
        }
        let source = HTMLText.escape(text(named, isDark: isDark))
        return """
            <iframe sandbox="allow-same-origin" width="\(width)" height="100" class="unknown" \
            srcdoc="\(source)"></iframe>
            """
    }
}
