/// The plain frame of every HTML mail: a heading, paragraphs, perhaps one button. No image, no
/// script and no style sheet from elsewhere, so opening it tells nobody anything.
struct MailPage {
    private var blocks: [String] = []
    private let title: String

    /// A page with a heading.
    init(title: String) {
        self.title = title
    }

    /// The page with one more paragraph.
    func paragraph(_ text: String) -> MailPage {
        adding("<p>\(Self.escape(text))</p>")
    }

    /// The page with a button that leads to `link`, and the link itself below it for readers
    /// whose program shows no button.
    func button(_ label: String, link: String) -> MailPage {
        let link = Self.escape(link)
        return adding(
            """
            <p><a href="\(link)" style="display:inline-block;padding:12px 20px;\
            border-radius:6px;background:#1a56db;color:#ffffff;text-decoration:none">\
            \(Self.escape(label))</a></p>
            <p style="word-break:break-all"><a href="\(link)">\(link)</a></p>
            """)
    }

    /// The document.
    func html(language: String) -> String {
        let title = Self.escape(title)
        return """
            <!DOCTYPE html>
            <html lang="\(Self.escape(language))">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            </head>
            <body style="margin:0 auto;padding:24px;max-width:560px;\
            font-family:system-ui,sans-serif;line-height:1.5">
            <h1 style="font-size:20px">\(title)</h1>
            \(blocks.joined(separator: "\n"))
            </body>
            </html>

            """
    }

    /// Every value goes through here: what a person typed must stay text (CWE-79).
    static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private func adding(_ block: String) -> MailPage {
        var page = self
        page.blocks.append(block)
        return page
    }
}
