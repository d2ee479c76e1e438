import ServiceRuntime

/// What a button of a form looks like. A page has one filled button: what most people should do.
enum ButtonKind: Hashable {
    /// Filled.
    case primary
    /// Outlined.
    case secondary
    /// Outlined in red, the last, and apart: what cannot be undone.
    case danger

    fileprivate var attribute: HTML {
        switch self {
        case .primary: .none
        case .secondary: " class=\"secondary\""
        case .danger: " class=\"danger\""
        }
    }
}

/// Forms: fields with label, hint, rules, error and input, in this order, and buttons.
extension PageView {
    /// The form with the page's fields.
    func form(_ token: String, _ email: String, _ problem: PageProblem?) -> HTML {
        let inputs = fields.map { field($0, $0 == .email ? email : "", problem) }
        return form(token, "\(userName)\(inputs)\(button(texts[.button]))")
    }

    /// The fields that a person fills in: no password where the link alone confirms.
    var fields: [Page.Field] {
        guard link.proof != .nothing || !page.provesByPassword else { return [] }
        return page == .yourData ? [.email, .password] : page.field.map { [$0] } ?? []
    }

    /// For whom a password manager fills in or keeps the password. Without a name it is not sent.
    private var userName: HTML {
        guard fields == [.password], !link.email.isEmpty else { return .none }
        return """
            <input type="text" autocomplete="username" value="\(link.email)" hidden>

            """
    }

    /// A form of this page, with the token that tells that it is.
    func form(_ token: String, _ content: HTML) -> HTML {
        """
        <form method="post" action="\(url(page))">
        <input type="hidden" name="\(PageForm.field)" value="\(token)">
        \(content)</form>

        """
    }

    /// A button. Its label says what it does, so that no answer is given by habit.
    /// - Parameters:
    ///   - hint: The id of the element that says what follows.
    ///   - answer: The name and the value that it sends.
    func button(
        _ label: String, _ kind: ButtonKind = .primary, hint: String? = nil,
        answer: (name: String, value: String)? = nil
    ) -> HTML {
        let describedBy: HTML = if let hint { " aria-describedby=\"\(hint)\"" } else { .none }
        let sent: HTML =
            if let answer { " name=\"\(answer.name)\" value=\"\(answer.value)\"" } else { .none }
        return """
            <button\(kind.attribute) type="submit"\(describedBy)\(sent)>\(label)</button>

            """
    }

    /// A part below a line, with its consequence above the button.
    func apart(_ title: PageTexts.Sentence, _ text: HTML, id: String, _ button: HTML) -> HTML {
        """
        <div class="apart group">
        <div class="group">
        <h2>\(texts[title])</h2>
        <p class="small muted" id="\(id)">\(text)</p>
        </div>
        \(button)</div>

        """
    }

    /// The name of a field.
    func label(of field: Page.Field) -> PageTexts.Sentence {
        isSecondAddress(field) ? .emailLabel : .label
    }

    /// Whether the field is the address of a page whose own field is another.
    private func isSecondAddress(_ field: Page.Field) -> Bool {
        field == .email && page == .yourData
    }

    private func field(_ field: Page.Field, _ value: String, _ problem: PageProblem?) -> HTML {
        let name = field.rawValue
        let isAtFault = problem?.field == field
        let rules = rules(of: field, problem)
        let ids = [(isAtFault, "error"), (true, "hint"), (!rules.text.isEmpty, "rules")]
            .filter { $0.0 }.map { "\(name)-\($0.1)" }.joined(separator: " ")
        let invalid: HTML = isAtFault ? " aria-invalid=\"true\"" : .none
        let autocomplete = isSecondAddress(field) ? "username" : page.autocomplete
        return """
            <div class="field">
            <label for="\(name)">\(texts[label(of: field)])</label>
            <p class="hint" id="\(name)-hint">\
            \(texts[isSecondAddress(field) ? .emailHint : .hint])</p>
            \(rules)\(isAtFault ? error(name, sentences(of: problem)) : .none)\
            <input id="\(name)" name="\(name)" \(inputType(field)) \
            autocomplete="\(autocomplete)" value="\(value)" required \
            aria-describedby="\(ids)"\(invalid)>
            </div>

            """
    }

    /// The rules for a new password, before it is typed; after an attempt those that it has broken
    /// are marked.
    private func rules(of field: Page.Field, _ problem: PageProblem?) -> HTML {
        guard page.setsPassword, field == .password, !app.passwordRules.isEmpty else {
            return .none
        }
        let items = app.passwordRules.map { requirement -> HTML in
            let sentence = requirement.sentence(in: texts.voice)
            return problem?.brokenRules.contains(requirement.rule) == true
                ? "<li class=\"unmet\">\(sentence) <strong>\(texts[.unmet])</strong></li>\n"
                : "<li>\(sentence)</li>\n"
        }
        return """
            <ul class="rules" id="\(field.rawValue)-rules">
            \(items)</ul>

            """
    }

    /// What is said beside a field. Rules that are marked are not said again.
    private func sentences(of problem: PageProblem?) -> [String] {
        guard let problem else { return [] }
        let shown = page.setsPassword ? Set(app.passwordRules.map(\.rule)) : []
        let isMarked = !problem.brokenRules.isEmpty && problem.brokenRules.isSubset(of: shown)
        return isMarked ? [problem.summary] : problem.sentences
    }

    private func error(_ name: String, _ sentences: [String]) -> HTML {
        """
        <p class="error" id="\(name)-error">\(PageIcon.alert.markup)\
        <span>\(texts.joined(sentences))</span></p>

        """
    }

    /// An address is a text: fields of the type `email` cannot have the autocomplete `username`
    /// (HTML Living Standard, autofill control groups).
    private func inputType(_ field: Page.Field) -> HTML {
        switch field {
        case .password: "type=\"password\""
        case .email:
            """
            type="text" inputmode="email" autocapitalize="none" spellcheck="false"
            """
        }
    }
}
