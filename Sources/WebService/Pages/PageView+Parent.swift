import ServiceRuntime

/// What a parent answers. Raw values are the values of the form's buttons.
enum ParentAnswer: String, CaseIterable, Sendable {
    case give
    /// Also withdraws.
    case refuse

    /// The name of the buttons.
    static let field = "answer"
}

/// `/parent` with the link of a mail (G-23).
extension PageView {
    /// Who asks, and the buttons. They say what they do, so that no answer is given by habit. A
    /// consent that was given can be withdrawn.
    func parent(_ token: String, _ childName: String, _ isGiven: Bool) -> HTML {
        guard !token.isEmpty else { return .none }
        if isGiven {
            return """
                <p>\(texts[.given])</p>
                \(form(token, [button(.refuse, .withdraw)]))
                """
        }
        let intro =
            childName.isEmpty
            ? texts[.introUnnamed] : texts[.intro].replacing("{{name}}", with: childName)
        return """
            <p>\(intro)</p>
            <p>\(texts[.hint])</p>
            \(form(token, [button(.give, .button), button(.refuse, .refuse)]))
            """
    }

    private func button(_ answer: ParentAnswer, _ label: PageTexts.Sentence) -> HTML {
        """
        <button type="submit" name="\(ParentAnswer.field)" value="\(answer.rawValue)">\
        \(texts[label])</button>

        """
    }

    private func form(_ token: String, _ buttons: [HTML]) -> HTML {
        """
        <form method="post" action="\(url(page))">
        <input type="hidden" name="\(PageForm.field)" value="\(token)">
        \(buttons)</form>

        """
    }
}
