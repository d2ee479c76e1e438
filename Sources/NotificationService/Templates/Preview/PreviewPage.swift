/// The HTML of a preview.
enum PreviewPage {
    /// The media query in a mail's style.
    private static let darkQuery = "@media (prefers-color-scheme: dark)"

    static func page(title: String, language: Language, sections: [String]) -> String {
        """
        <!DOCTYPE html>
        <html lang="\(language.rawValue)">
        <head>
        <meta charset="utf-8">
        <title>\(HTMLText.escape(title))</title>
        <style>
        body { margin: 16px; background: #c9ced6; color: #15181d; font-family: sans-serif; }
        h2 { font-size: 16px; }
        section { margin-bottom: 40px; }
        .row { display: flex; gap: 16px; align-items: flex-start; }
        iframe { border: 0; flex: none; }
        .too-wide { outline: 4px solid #d00000; }
        pre { margin: 0; padding: 12px; width: 375px; flex: none; box-sizing: border-box;
          background: #ffffff; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }
        </style>
        </head>
        <body>
        \(sections.joined(separator: "\n"))
        <script>
        addEventListener("load", () => {
          for (const frame of document.querySelectorAll("iframe")) {
            const mail = frame.contentDocument.documentElement;
            frame.style.height = mail.scrollHeight + "px";
            frame.className = mail.scrollWidth > mail.clientWidth ? "too-wide" : "fits";
          }
        });
        </script>
        </body>
        </html>

        """
    }

    static func section(_ title: String, text: String, frames: [String]) -> String {
        """
        <section>
        <h2>\(HTMLText.escape(title))</h2>
        <div class="row">
        <pre>\(HTMLText.escape(text))</pre>
        \(frames.joined(separator: "\n"))
        </div>
        </section>
        """
    }

    /// A mail in an iframe of its own, in which scripts do not run and links do not navigate the
    /// page. The media query is replaced here, because a page cannot set it for an iframe.
    static func frame(_ html: String, width: Int, isDark: Bool) -> String {
        let answered = html.replacing(darkQuery, with: isDark ? "@media all" : "@media not all")
        let source = HTMLText.escape(answered)
        return """
            <iframe sandbox="allow-same-origin" width="\(width)" height="100" class="unknown" \
            srcdoc="\(source)"></iframe>
            """
    }
}
