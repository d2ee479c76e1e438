import ServiceRuntime

/// The form that asks for a proof beside the first one, or again (F-03). One kind is asked for, and
/// the others are buttons below it.
extension PageView {
    /// The form below its heading.
    func proof(
        _ title: String, _ token: String, _ form: PageProofForm, _ problem: PageProblem?
    ) -> HTML {
        if form.chosen == .passkey { return passkeyProof(title, token, form, problem) }
        let asked = input(form)
        let content: HTML =
            form.asks
            ? "\(field(asked, problem))\(button(texts[proof: .button]))"
            : "\(button(texts[proof: .send], answer: sending(form)))"
        return """
            \(heading(title, lead(of: form)))\
            \(note(problem, form.asks ? [asked.field: asked.label] : [:]))\
            \(self.form(token, "\(hidden(fields(form)))\(content)"))\(others(token, form))
            """
    }

    /// The same for a passkey, for which the script asks the browser.
    private func passkeyProof(
        _ title: String, _ token: String, _ form: PageProofForm, _ problem: PageProblem?
    ) -> HTML {
        """
        \(heading(title, lead(of: form)))\(note(problem, [:]))\
        \(passkeyForm(
            token, form.prompt, hidden(fields(form)), button(texts[proof: .wayByPasskey])))\
        \(others(token, form))
        """
    }

    /// Why it is asked for, and what the person is asked to do.
    private func lead(of form: PageProofForm) -> HTML {
        let reason: HTML = form.act == nil ? .none : lead("\(texts[proof: .change])")
        return "\(reason)\(lead("\(request(form))"))"
    }

    /// What the button sends by which a code is sent.
    private func sending(_ form: PageProofForm) -> (name: String, value: String) {
        (PageProofForm.sendField, form.chosen.rawValue)
    }

    /// What the form sends unseen: which proof it is, and which change waits for it.
    private func fields(_ form: PageProofForm) -> [(name: String, value: String)] {
        let kind = [(name: PageProofForm.kindField, value: form.chosen.rawValue)]
        guard let act = form.act else { return kind }
        let ways = form.ways.map(\.kind.rawValue).joined(separator: " ")
        return kind + [(PageProofForm.waysField, ways)] + act.fields
    }

    /// What the person is asked to do.
    private func request(_ form: PageProofForm) -> String {
        let sentence: PageTexts.Proof =
            switch form.chosen {
            case .passkey: .passkey
            case .totp: .totp
            case .phone, .email: form.isSent ? .sent : .unsent
            case .password: .password
            case .recovery: .recovery
            }
        return texts[proof: sentence].replacing("{{hint}}", with: form.way.hint)
    }

    private func input(_ form: PageProofForm) -> PageInput {
        switch form.chosen {
        case .totp, .phone, .email:
            PageInput(
                field: .code, label: texts[proof: .label],
                hint: texts[proof: form.isSent ? .sentHint : .hint], type: Self.digits,
                autocomplete: "one-time-code")
        case .recovery:
            PageInput(
                field: .code, label: texts[proof: .recoveryLabel],
                hint: texts[proof: .recoveryHint],
                type: """
                    class="code" type="text" autocapitalize="none" spellcheck="false"
                    """,
                autocomplete: "off")
        case .passkey:
            PageInput(
                field: .credential, label: "", hint: "", type: "type=\"hidden\"",
                autocomplete: "off")
        case .password:
            PageInput(
                field: .password, label: texts[proof: .passwordLabel],
                hint: texts[proof: .passwordHint], type: "type=\"password\"",
                autocomplete: "current-password")
        }
    }

    /// A field for a code of digits.
    static var digits: HTML { "class=\"code\" type=\"text\" inputmode=\"numeric\"" }

    // MARK: Other ways

    /// In a form of its own: the field above is required for its own button only.
    private func others(_ token: String, _ form: PageProofForm) -> HTML {
        var buttons = form.others.map { way in
            button(
                texts[proof: sentence(way.kind)], .secondary,
                answer: (PageProofForm.otherField, way.kind.rawValue))
        }
        if form.isSent {
            buttons.insert(
                button(texts[proof: .sendAgain], .secondary, answer: sending(form)), at: 0)
        }
        if form.act == nil, form.mayBeginAgain {
            buttons.append(
                button(texts[proof: .again], .plain, answer: (PageProofForm.againField, "1")))
        }
        let help = texts[proof: .lost].replacing("{{app}}", with: app.name)
        let lost: HTML =
            form.act == nil ? "<p class=\"small muted\">\(help)</p>\n" : .none
        guard !buttons.isEmpty else { return lost }
        let choices: HTML = "<div class=\"choices group\">\n\(buttons)</div>\n"
        return """
            <div class="apart group">
            <h2>\(texts[proof: .others])</h2>
            \(self.form(token, "\(hidden(fields(form)))\(choices)"))\
            \(lost)</div>

            """
    }

    private func sentence(_ kind: PageProofKind) -> PageTexts.Proof {
        switch kind {
        case .passkey: .wayByPasskey
        case .totp: .wayByTOTP
        case .phone: .wayByPhone
        case .email: .wayByEmail
        case .password: .wayByPassword
        case .recovery: .wayByRecovery
        }
    }
}
