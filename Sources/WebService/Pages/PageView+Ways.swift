import ServiceRuntime

/// The ways in to the pages that are for everyone (G-32): one form, the other ways as buttons below it,
/// and what people do who have a provider only.
extension PageView {
    /// The form below its heading.
    func ways(
        _ title: String, _ token: String, _ form: PageWaysForm, _ problem: PageProblem?
    ) -> HTML {
        let inputs = inputs(form)
        let labels = Dictionary(uniqueKeysWithValues: inputs.map { ($0.field, $0.label) })
        let fields = inputs.map { self.field($0, problem) }
        let own: HTML =
            form.chosen == nil
            ? .none : self.form(token, "\(fields)\(button(label(of: form)))")
        return """
            \(heading(title, lead("\(request(form))")))\(note(problem, labels))\(own)\
            \(others(token, form))
            """
    }

    /// What the person is asked to do.
    private func request(_ form: PageWaysForm) -> String {
        switch form.chosen {
        case nil: appNeeded
        case .mail: texts[.intro]
        case .phone where form.isSent:
            texts[proof: .sent].replacing("{{hint}}", with: form.number)
        case .password, .phone: texts[page == .deleteAccount ? .introSignIn : .intro]
        }
    }

    private var appNeeded: String { texts[proof: .app].replacing("{{app}}", with: app.name) }

    private func label(of form: PageWaysForm) -> String {
        switch form.chosen {
        case .mail: texts[.button]
        case .phone where !form.isSent: texts[proof: .send]
        default: form.sendsArchive ? texts[.button] : texts[proof: .button]
        }
    }

    private func inputs(_ form: PageWaysForm) -> [PageInput] {
        switch form.chosen {
        case nil: []
        case .mail: [address(form)]
        case .password:
            [
                address(form),
                PageInput(
                    field: .password, label: texts[proof: .passwordLabel],
                    hint: texts[proof: .passwordHint], type: "type=\"password\"",
                    autocomplete: "current-password"),
            ]
        case .phone where form.isSent:
            [
                PageInput(
                    field: .code, label: texts[proof: .label], hint: texts[proof: .sentHint],
                    type: Self.digits, autocomplete: "one-time-code")
            ]
        case .phone:
            [
                PageInput(
                    field: .number, label: texts[proof: .numberLabel],
                    hint: texts[proof: .numberHint], type: "type=\"tel\"", autocomplete: "tel",
                    value: form.number)
            ]
        }
    }

    private func address(_ form: PageWaysForm) -> PageInput {
        let words: (label: PageTexts.Sentence, hint: PageTexts.Sentence) =
            page.asksForAddress ? (.emailLabel, .emailHint) : (.label, .hint)
        return PageInput(
            field: .email, label: texts[words.label], hint: texts[words.hint],
            type: Self.emailAddress, autocomplete: "username", value: form.email)
    }

    /// In a form of its own: the fields above are required for their own button only.
    private func others(_ token: String, _ form: PageWaysForm) -> HTML {
        var buttons = form.others.map { way in
            button(texts[proof: sentence(way)], .secondary, answer: (PageWay.field, way.rawValue))
        }
        if form.isSent, form.chosen == .phone {
            let phone = PageWay.phone.rawValue
            buttons.insert(
                button(
                    texts[proof: .sendAgain], .secondary, answer: (PageProofForm.sendField, phone)),
                at: 0)
            buttons.append(button(texts[proof: .again], .plain, answer: (PageWay.field, phone)))
        }
        let hint: HTML =
            form.hasProviders && form.chosen != nil
            ? "<p class=\"small muted\">\(appNeeded)</p>\n" : .none
        let choices: HTML = "<div class=\"choices group\">\n\(buttons)</div>\n"
        let ways = buttons.isEmpty ? HTML.none : self.form(token, choices)
        guard !buttons.isEmpty || form.hasProviders && form.chosen != nil else { return .none }
        return """
            <div class="apart group">
            <h2>\(texts[proof: .others])</h2>
            \(ways)\(hint)</div>

            """
    }

    private func sentence(_ way: PageWay) -> PageTexts.Proof {
        switch way {
        case .mail: .wayByMail
        case .password: .wayByPassword
        case .phone: .wayByPhone
        }
    }

    // MARK: The archive

    /// What is known of the archive of an account's data, and what can be done.
    func export(_ title: String, _ page: ExportPage) -> HTML {
        let again: HTML = """
            <a class="button" href="\(url(.yourData))">\(texts[.reload])</a>

            """
        let text: HTML
        let act: HTML
        switch page.archive {
        case .none:
            text = "\(texts[.orderLead])"
            act = page.isSignedIn ? form(page, .order, texts[.order]) : .none
        case .preparing: (text, act) = ("\(texts[.preparing])", again)
        case .ready(let end):
            text = dated(.ready, end)
            act = form(page, .fetch, texts[.button])
        case .unknown: (text, act) = ("\(texts[.intro])", again)
        }
        return "\(heading(title, lead(text)))\(note(page.problem, [:]))\(act)"
    }

    private func form(_ page: ExportPage, _ act: ExportAct, _ label: String) -> HTML {
        form(page.token, "\(hidden([(ExportAct.field, act.rawValue)]))\(button(label))")
    }
}
