import ServiceRuntime

/// The steps of `/delete-account` with the link of a mail (G-19), and forms of a button alone.
extension PageView {
    /// What a deletion does, and the button that leads to the last question.
    func consequences(_ token: String, _ sentences: [String]) -> HTML {
        guard !sentences.isEmpty else { return .none }
        let items = sentences.map { sentence -> HTML in "<li>\(sentence)</li>\n" }
        return """
            <p>\(texts[.consequences])</p>
            <ul>
            \(items)</ul>
            \(buttonForm(token, texts[.goOn]))
            """
    }

    /// The last question. Its buttons say what they do, so that no answer is given by habit.
    func lastQuestion(_ token: String, _ confirmation: String) -> HTML {
        """
        <p>\(texts[.question])</p>
        <form method="post" action="\(url(page))">
        <input type="hidden" name="\(PageForm.field)" value="\(token)">
        <input type="hidden" name="confirmation" value="\(confirmation)">
        <button type="submit" name="choice" value="later">\(texts[.later])</button>
        <button type="submit" name="choice" value="now">\(texts[.atOnce])</button>
        </form>

        """
    }

    /// A form of a button alone.
    func buttonForm(_ token: String, _ label: String) -> HTML {
        """
        <form method="post" action="\(url(page))">
        <input type="hidden" name="\(PageForm.field)" value="\(token)">
        <button type="submit">\(label)</button>
        </form>

        """
    }
}
