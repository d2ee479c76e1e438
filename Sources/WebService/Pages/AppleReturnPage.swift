package import ServiceRuntime
import Texts

/// Says that Apple's answer names no app that is known here. It is no `Page`: no link leads to it,
/// and it has nothing to send.
package struct AppleReturnPage: Sendable {
    /// The name of its texts' files.
    private static let name = "apple-callback"

    private let voice: Voice
    private let theme: Theme?
    private let assets: String
    private let host: String

    /// A page in a voice.
    /// - Parameters:
    ///   - theme: The operator's look; nil while the pages are off, without whose style sheet it is
    ///     plain.
    ///   - assets: Where the style sheet and the pictures are: `/pages/`, or empty.
    ///   - host: The host that the browser asked, which is shown if the theme has no name.
    package init(voice: Voice, theme: Theme?, assets: String, host: String) {
        (self.voice, self.theme) = (voice, theme)
        (self.assets, self.host) = (assets, host)
    }

    /// The whole document.
    package var document: HTML {
        let title = text("title")
        let app = theme.map(\.name).flatMap { $0.isEmpty ? nil : $0 } ?? host
        let error = frame("error-title").replacing("{{title}}", with: title)
        return """
            <!DOCTYPE html>
            <html lang="\(voice.language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <meta name="color-scheme" content="light dark">
            <title>\(error) – \(app)</title>
            \(look)</head>
            <body class="page">
            <div class="card">
            <header class="brand">
            <span class="mark" aria-hidden="true">\(app.prefix(1).uppercased())</span>
            <span>\(app)</span>
            </header>
            <main>
            <div class="group" role="alert">
            \(symbol)<h1>\(title)</h1>
            <p class="muted">\(text("reason"))</p>
            <p>\(text("next"))</p>
            </div>
            </main>
            \(footer)</div>
            </body>
            </html>

            """
    }

    private func text(_ key: String) -> String {
        Texts.lines("page/\(Self.name)", in: voice.tag)[key] ?? ""
    }

    private func frame(_ key: String) -> String {
        Texts.lines("page/frame", in: voice.tag)[key] ?? ""
    }

    /// The style sheets and the icon.
    private var look: HTML {
        guard let theme else { return .none }
        var extra = HTML.none
        if let sheet = theme.extraSheet {
            extra = "<link rel=\"stylesheet\" href=\"\(assets)\(sheet.name)\">\n"
        }
        return """
            <link rel="stylesheet" href="\(assets)style.css">
            \(extra)<link rel="icon" href="\(assets)\(theme.icon.name)">

            """
    }

    /// A picture without a style sheet would be as large as the window.
    private var symbol: HTML {
        theme == nil ? .none : "<span class=\"symbol\">\(PageIcon.unlink.markup)</span>\n"
    }

    private var footer: HTML {
        let links = [
            (theme?.imprintURL ?? "", frame("imprint")),
            (theme?.privacyURL ?? "", frame("privacy")),
        ]
        let items = links.filter { !$0.0.isEmpty }.map { url, label -> HTML in
            "<li><a href=\"\(url)\">\(label)</a></li>\n"
        }
        guard !items.isEmpty else { return .none }
        return "<footer>\n<ul class=\"links\">\n\(items)</ul>\n</footer>\n"
    }
}

extension PagePreview {
    /// The page of an answer of Apple's without a known app, and its file's name.
    package static func appleReturn(
        in language: Language, theme: Theme, isFormal: Bool
    ) -> (name: String, document: HTML) {
        let page = AppleReturnPage(
            voice: Voice(language, isFormal: isFormal), theme: theme, assets: "", host: "Postern")
        return ("apple-callback.unknown.\(language.rawValue).html", page.document)
    }
}
