/// The layout of every HTML mail: one column of 560 px at most, in light and dark colours and in
/// the reader's fonts. No images, no scripts and no remote content, so opening a mail reveals
/// nothing to anybody. An operator can replace it with a `layout.html` that has the same variables.
struct MailFrame: Sendable {
    /// The name of the operator's file.
    static let fileName = "layout.html"
    /// Bytes of one file.
    static let bytesMax = 65_536
    /// The variables that are allowed in it, besides `{{> content}}`.
    private static let names = ["product", "title", "preview", "footer", "language", "direction"]
    private static let partial = "content"

    private let template: MustacheTemplate

    /// Parses a layout.
    /// - Throws: `TemplateFault`.
    init(_ source: TemplateSource) throws(TemplateFault) {
        template = try MustacheParser.template(source, names: Self.names, partials: [Self.partial])
        try HTMLPositions.check(template, of: source)
        guard source.text.contains("{{> \(Self.partial)}}") else {
            throw source.fault("without {{> \(Self.partial)}} every mail would be empty", line: 0)
        }
    }

    private init(template: MustacheTemplate) { self.template = template }

    /// Used when the operator's layout is invalid. The error is reported before any mail is made.
    static let empty = MailFrame(template: MustacheTemplate(parts: []))

    /// Renders the document.
    /// - Parameter values: of `product`, `title`, `preview` and `footer`.
    func html(_ values: [String: String], content: String, language: Language) -> String {
        var values = values
        values["language"] = language.rawValue
        values["direction"] = language.direction
        return template.rendered(
            values, partials: [Self.partial: content], escape: HTMLText.escape)
    }

    /// The built-in layout.
    static let standard = """
        <!DOCTYPE html>
        <html lang="{{language}}" dir="{{direction}}">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="supported-color-schemes" content="light dark">
        <title>{{title}}</title>
        <style>
        :root { color-scheme: light dark; supported-color-schemes: light dark; }
        @media (max-width: 480px) {
        .page { padding: 0 !important; }
        .card { padding: 24px 20px !important; border-radius: 0 !important; }
        }
        @media (prefers-color-scheme: dark) {
        body, .page { background: #12151a !important; }
        .card { background: #1c2129 !important; }
        .card, .title, .words { color: #e8ebf0 !important; }
        .box { background: #2a313c !important; color: #e8ebf0 !important; }
        .button { background: #3b6ef0 !important; color: #ffffff !important; }
        .quiet { color: #a3adba !important; }
        .link { color: #8fb1ff !important; }
        }
        </style>
        </head>
        <body style="margin:0;padding:0;background:#f3f5f8">
        <div style="display:none;max-height:0;overflow:hidden">{{preview}}</div>
        <div class="page" style="padding:32px 12px;background:#f3f5f8">
        <div class="card" style="box-sizing:border-box;max-width:560px;margin:0 auto;padding:32px;\
        border-radius:12px;background:#ffffff;color:#1b2330;font-family:system-ui,-apple-system,\
        'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;font-size:16px;line-height:1.5;\
        overflow-wrap:break-word">
        <p class="quiet" style="margin:0 0 20px;font-size:14px;font-weight:600;color:#5b6472">\
        {{product}}</p>
        <h1 class="title" style="margin:0 0 16px;font-size:22px;line-height:1.3;color:#1b2330">\
        {{title}}</h1>
        {{> content}}
        <p class="quiet" style="margin:32px 0 0;font-size:13px;line-height:1.4;color:#5b6472">\
        {{footer}}</p>
        </div>
        </div>
        </body>
        </html>

        """
}
