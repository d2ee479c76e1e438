/// The elements of an HTML mail. Styles are inline, because some mail programs drop style sheets;
/// the classes are for the layout's dark colours. The caller has escaped all text.
enum MailMarkup {
    static func paragraph(_ words: String) -> String {
        words.isEmpty ? "" : "<p class=\"words\" style=\"margin:0 0 16px\">\(words)</p>"
    }

    /// A button, with the link itself below it for mail programs that show no button, and for
    /// readers who want to see the target.
    static func button(_ label: String, link: String) -> String {
        """
        <p style="margin:24px 0 12px"><a class="button" href="\(link)" style="display:inline-block;\
        padding:12px 24px;border-radius:8px;background:#1d4ed8;color:#ffffff;font-weight:600;\
        text-decoration:none">\(label)</a></p>
        <p class="quiet" style="margin:0 0 24px;font-size:13px;line-height:1.4;color:#5b6472;\
        word-break:break-all"><a class="link" href="\(link)" style="color:#1d4ed8">\(link)</a></p>
        """
    }

    /// A code, in large type, and unbroken so that a touch selects it.
    static func code(_ code: String) -> String {
        """
        <p class="box" style="margin:24px 0;padding:16px;border-radius:8px;background:#eef1f6;\
        font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:28px;\
        line-height:1.2;letter-spacing:4px;text-align:center">\(code)</p>
        """
    }

    /// A box with one line per fact.
    static func facts(_ facts: [String]) -> String {
        guard !facts.isEmpty else { return "" }
        let lines = facts.joined(separator: "<br>\n")
        return """
            <p class="box" style="margin:20px 0;padding:14px 16px;border-radius:8px;\
            background:#eef1f6">\(lines)</p>
            """
    }
}
