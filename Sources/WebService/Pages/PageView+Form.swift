import ServiceRuntime

/// What a button of a form looks like. A page has one filled button: what most people should do.
enum ButtonKind: Hashable {
    /// Filled.
    case primary
    /// Outlined.
    case secondary
    /// Outlined in red, the last, and apart: what cannot be undone.
    case danger
    /// Without a border: in a list or a header.
    case plain
    /// The same in red.
    case plainDanger

    fileprivate var attribute: HTML {
        switch self {
        case .primary: .none
        case .secondary: " class=\"secondary\""
        case .danger: " class=\"danger\""
        case .plain: " class=\"plain\""
        case .plainDanger: " class=\"plain danger\""
        }
    }
}

/// A field of a form.
struct PageInput {
    let field: Page.Field
    let label: String
    let hint: String
    /// Its type and what belongs to that, as attributes.
    let type: HTML
    /// What a browser may fill in.
    let autocomplete: String
    var value = ""
    var rules: HTML = .none
    var isRequired = true
}

/// Forms: fields with label, hint, rules, error and input, in this order, and buttons.
extension PageView {
    /// The form with the page's fields.
    /// - Parameter entered: What is shown in them: addresses, and no passwords.
    func form(
        _ token: String, _ entered: [Page.Field: String], _ problem: PageProblem?
    ) -> HTML {
        let inputs = fields.map { field($0, entered[$0] ?? "", problem) }
        return form(token, "\(userName)\(inputs)\(button(texts[.button]))")
    }

    /// The fields that a person fills in: no password where the link alone confirms.
    var fields: [Page.Field] {
        guard link.proof != .nothing || !page.provesByPassword else { return [] }
        guard app.takesPasswords || page != .security else { return [] }
        guard page != .correctEmail else { return [.email, .password, .newEmail] }
        return page == .security ? [.email, .password] : page.field.map { [$0] } ?? []
    }

    /// Their names.
    var labels: [Page.Field: String] {
        Dictionary(uniqueKeysWithValues: fields.map { ($0, texts[label(of: $0)]) })
    }

    /// For whom a password manager fills in or keeps the password. Without a name it is not sent.
    private var userName: HTML {
        guard fields == [.password], !link.email.isEmpty else { return .none }
        return """
            <input type="text" autocomplete="username" value="\(link.email)" hidden>

            """
    }

    /// A form of this page, with the token that tells that it is.
    /// - Parameter isAtEnd: Whether it is on the other side of its line.
    func form(_ token: String, _ content: HTML, isAtEnd: Bool = false) -> HTML {
        let end: HTML = isAtEnd ? " class=\"end\"" : .none
        return """
            <form\(end) method="post" action="\(url(page))">
            <input type="hidden" name="\(PageForm.field)" value="\(token)">
            \(content)</form>

            """
    }

    /// Hidden fields.
    func hidden(_ fields: [(name: String, value: String)]) -> HTML {
        let inputs = fields.map { name, value -> HTML in
            "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">\n"
        }
        return "\(inputs)"
    }

    /// A button. Its label says what it does, so that no answer is given by habit.
    /// - Parameters:
    ///   - hint: The id of the element that says what follows.
    ///   - answer: The name and the value that it sends.
    ///   - about: What it is about, for screen readers: one of several buttons with the same label.
    func button(
        _ label: String, _ kind: ButtonKind = .primary, hint: String? = nil,
        answer: (name: String, value: String)? = nil, about: String = ""
    ) -> HTML {
        let describedBy: HTML = if let hint { " aria-describedby=\"\(hint)\"" } else { .none }
        let sent: HTML =
            if let answer { " name=\"\(answer.name)\" value=\"\(answer.value)\"" } else { .none }
        let unseen: HTML =
            about.isEmpty ? .none : "<span class=\"unseen\">: \(about)</span>"
        return """
            <button\(kind.attribute) type="submit"\(describedBy)\(sent)>\(label)\(unseen)</button>

            """
    }

    /// A part below a line, with its consequence above the button.
    func apart(_ title: String, _ text: HTML, id: String, _ button: HTML) -> HTML {
        """
        <div class="apart group">
        <div class="group">
        <h2>\(title)</h2>
        <p class="small muted" id="\(id)">\(text)</p>
        </div>
        \(button)</div>

        """
    }

    /// The name of a field.
    func label(of field: Page.Field) -> PageTexts.Sentence { words(of: field).label }

    /// What a field is called, what is said of it, and what a browser may fill in.
    private func words(
        of field: Page.Field
    ) -> (label: PageTexts.Sentence, hint: PageTexts.Sentence, autocomplete: String) {
        switch field {
        // The address of a page whose own field is another.
        case .email where page.asksForAddress: (.emailLabel, .emailHint, userNameFill)
        case .newEmail: (.newEmailLabel, .newEmailHint, "email")
        case .email, .password, .code, .name, .credential, .number:
            (.label, .hint, page.autocomplete)
        }
    }

    /// The browser's list of suggestions at the address has passkeys too, where the script asks.
    private var userNameFill: String {
        prompt?.isSuggested == true ? "username webauthn" : "username"
    }

    private func field(_ field: Page.Field, _ value: String, _ problem: PageProblem?) -> HTML {
        let words = words(of: field)
        return self.field(
            PageInput(
                field: field, label: texts[words.label], hint: texts[words.hint],
                type: inputType(field), autocomplete: words.autocomplete, value: value,
                rules: rules(of: field, problem)), problem)
    }

    /// A field with its label, hint, rules and error.
    func field(_ input: PageInput, _ problem: PageProblem?) -> HTML {
        let name = input.field.rawValue
        let isAtFault = problem?.field == input.field
        let ids = [(isAtFault, "error"), (true, "hint"), (!input.rules.text.isEmpty, "rules")]
            .filter { $0.0 }.map { "\(name)-\($0.1)" }.joined(separator: " ")
        let invalid: HTML = isAtFault ? " aria-invalid=\"true\"" : .none
        let required: HTML = input.isRequired ? " required" : .none
        return """
            <div class="field">
            <label for="\(name)">\(input.label)</label>
            <p class="hint" id="\(name)-hint">\(input.hint)</p>
            \(input.rules)\(isAtFault ? error(name, sentences(of: problem)) : .none)\
            <input id="\(name)" name="\(name)" \(input.type) \
            autocomplete="\(input.autocomplete)" value="\(input.value)"\(required) \
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

    private func inputType(_ field: Page.Field) -> HTML {
        switch field {
        case .password: "type=\"password\""
        case .code, .name: "type=\"text\""
        case .credential: "type=\"hidden\""
        case .number: "type=\"tel\""
        case .email, .newEmail: Self.emailAddress
        }
    }

    /// An address is a text: fields of the type `email` cannot have the autocomplete `username`
    /// (HTML Living Standard, autofill control groups).
    static var emailAddress: HTML {
        """
        type="text" inputmode="email" autocapitalize="none" spellcheck="false"
        """
    }
}
