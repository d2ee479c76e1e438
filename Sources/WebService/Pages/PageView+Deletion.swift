import ServiceRuntime

/// An answer to the last question of a deletion, in the order of the buttons.
enum DeletionChoice: String, CaseIterable, Sendable {
    /// After the operator's `deletion-wait`.
    case later
    /// At once.
    case atOnce = "now"

    /// The field of the form that says which button was pressed.
    static let field = "choice"
    /// The field of the same form with the gateway's confirmation token.
    static let confirmationField = "confirmation"

    fileprivate var label: PageTexts.Sentence {
        switch self {
        case .later: .later
        case .atOnce: .atOnce
        }
    }
}

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
    func lastQuestion(
        _ token: String, _ confirmation: String, _ choices: [DeletionChoice]
    ) -> HTML {
        let buttons = choices.map { choice -> HTML in
            """
            <button type="submit" name="\(DeletionChoice.field)" value="\(choice.rawValue)">\
            \(texts[choice.label])</button>

            """
        }
        return """
            <p>\(texts[.question])</p>
            <form method="post" action="\(url(page))">
            <input type="hidden" name="\(PageForm.field)" value="\(token)">
            <input type="hidden" name="\(DeletionChoice.confirmationField)" \
            value="\(confirmation)">
            \(buttons)</form>

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
