import ServiceRuntime

/// An answer to the last question of a deletion, in the order of the buttons.
enum DeletionChoice: String, Sendable {
    /// Not at all.
    case keep
    /// After the operator's `deletion-wait`.
    case later
    /// At once.
    case atOnce = "now"

    /// The field of the form that says which button was pressed.
    static let field = "choice"
    /// The field of the same form with the gateway's confirmation token.
    static let confirmationField = "confirmation"
}

/// The steps of `/delete-account` with the link of a mail (G-19). The first button keeps the
/// account.
extension PageView {
    /// What a deletion does, and the button that leads to the last question.
    func consequences(_ token: String, _ sentences: [String]) -> HTML {
        guard !sentences.isEmpty else { return .none }
        let items = sentences.map { sentence -> HTML in "<li>\(sentence)</li>\n" }
        let buttons: HTML = """
            <div class="choices group">
            \(choice(.keep, .keep, .primary))\(button(texts[.goOn], .secondary))</div>

            """
        return """
            <ul class="points">
            \(items)</ul>
            \(form(token, buttons))
            """
    }

    /// The last question.
    func lastQuestion(
        _ token: String, _ confirmation: String, onlyLater: Bool, _ due: Timestamp
    ) -> HTML {
        let day = due.day(in: texts.language)
        let later = button(
            texts[.later].replacing("{{day}}", with: day), .secondary, hint: "later",
            answer: (DeletionChoice.field, DeletionChoice.later.rawValue))
        let atOnce = apart(
            texts[.atOnceTitle], "\(texts[.atOnceHint])", id: "now",
            choice(.atOnce, .atOnce, .danger, hint: "now"))
        return form(
            token,
            """
            <input type="hidden" name="\(DeletionChoice.confirmationField)" value="\(confirmation)">
            \(choice(.keep, .keep, .primary))\
            \(apart(texts[.laterTitle], dated(.laterHint, due), id: "later", later))\
            \(onlyLater ? .none : atOnce)
            """)
    }

    private func choice(
        _ choice: DeletionChoice, _ label: PageTexts.Sentence, _ kind: ButtonKind,
        hint: String? = nil
    ) -> HTML {
        button(
            texts[label], kind, hint: hint, answer: (DeletionChoice.field, choice.rawValue))
    }
}
