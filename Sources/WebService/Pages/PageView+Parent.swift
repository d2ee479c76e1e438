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
    /// Who asks, and until when; or that the answer was given.
    func asked(_ childName: String, _ isGiven: Bool, _ deletionAt: Timestamp?) -> HTML {
        guard !isGiven else { return lead("\(texts[.given])") }
        let intro =
            childName.isEmpty
            ? texts[.introUnnamed] : texts[.intro].replacing("{{name}}", with: childName)
        guard let deletionAt else { return lead("\(intro)") }
        return """
            \(lead("\(intro)"))<p>\(dated(.deadline, deletionAt))</p>

            """
    }

    /// The buttons. A consent that was given can be withdrawn.
    func answers(_ token: String, _ isGiven: Bool, _ deletionAt: Timestamp?) -> HTML {
        guard !isGiven else {
            let hint: HTML = if let deletionAt { dated(.withdrawHint, deletionAt) } else { .none }
            return form(token, refusal(.withdrawTitle, hint, .withdraw))
        }
        let hint: HTML = "<p class=\"small muted\" id=\"give\">\(texts[.hint])</p>\n"
        let give = button(
            texts[.button], hint: "give",
            answer: (ParentAnswer.field, ParentAnswer.give.rawValue))
        return form(
            token,
            """
            <div class="group">
            \(give)\(hint)</div>
            \(refusal(.refuseTitle, "\(texts[.refuseHint])", .refuse))
            """)
    }

    private func refusal(
        _ title: PageTexts.Sentence, _ hint: HTML, _ label: PageTexts.Sentence
    ) -> HTML {
        apart(
            texts[title], hint, id: "refuse",
            button(
                texts[label], .danger, hint: "refuse",
                answer: (ParentAnswer.field, ParentAnswer.refuse.rawValue)))
    }
}
