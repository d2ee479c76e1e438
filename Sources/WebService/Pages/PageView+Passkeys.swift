import ServiceRuntime

/// Passkeys on `/security` (F-01): the button of a sign-in, the list, and the pages about one.
extension PageView {
    // MARK: The script

    /// Whether the document has the script.
    func hasScript(_ state: PageState) -> Bool {
        prompt != nil || signal != nil || state.prompt != nil || state.signal != nil
    }

    /// The script, where the document has something for it to do.
    func script(_ state: PageState) -> HTML {
        guard hasScript(state) else { return .none }
        return "<script src=\"\(assets)\(PasskeyScript.name)\" defer></script>\n"
    }

    /// What the script tells the browser.
    func told(_ state: PageState) -> HTML {
        guard let signal = signal ?? state.signal else { return .none }
        return """
            <div data-signal="\(signal.method)" data-about="\(signal.about)" hidden></div>

            """
    }

    /// A form by which the script shows a prompt. Without the script it is not there, and a sentence
    /// is in its place if the page is about nothing else.
    /// - Parameters:
    ///   - prompt: Nil where the options could not be had.
    ///   - content: The fields of the form, but the one that the script fills in.
    ///   - button: By which it begins.
    ///   - isAlone: Whether the page is about nothing else.
    func passkeyForm(
        _ token: String, _ prompt: PasskeyPrompt?, _ content: HTML, _ button: HTML,
        isAlone: Bool = true
    ) -> HTML {
        let none: HTML =
            isAlone
            ? "<p class=\"muted\" data-no-prompt=\"\">\(texts[security: .noPrompt])</p>\n" : .none
        guard let prompt else { return none }
        let suggest: HTML = prompt.isSuggested ? " data-suggest=\"\"" : .none
        return """
            \(none)<form method="post" action="\(url(page))" data-passkey="\(prompt.kind.rawValue)" \
            data-options="\(prompt.options)" data-seconds="\(String(prompt.seconds))"\(suggest) hidden>
            <input type="hidden" name="\(PageForm.field)" value="\(token)">
            <input type="hidden" name="\(Page.Field.credential.rawValue)" value="">
            \(content)<p class="error" role="alert" hidden>\(PageIcon.alert.markup)\
            <span>\(texts[security: .promptFailed])</span></p>
            \(button)</form>

            """
    }

    /// The button below a form that signs in.
    func signInByPasskey(_ token: String) -> HTML {
        guard let prompt else { return .none }
        return passkeyForm(
            token, prompt, .none, button(texts[security: .signInByPasskey], .secondary),
            isAlone: false)
    }

    // MARK: The list

    /// The account's passkeys; nothing where they are switched off.
    func passkeys(_ page: SecurityPage) -> HTML {
        guard let passkeys = page.passkeys else { return .none }
        let add =
            app.takesPasskeys
            ? form(
                page.token, button(act: .passkey(.begin), texts[security: .addPasskey], .secondary))
            : .none
        let empty: HTML = "<p>\(texts[security: .noPasskeys])</p>\n"
        let items = passkeys.map(item)
        let list = form(page.token, "<ul class=\"items\">\n\(items)</ul>\n")
        return """
            <section class="apart group unprinted" aria-labelledby="passkeys">
            <div class="row">
            <div class="grow">
            <h2 id="passkeys">\(texts[security: .passkeys])</h2>
            <p class="small muted">\(texts[security: .passkeysHint])</p>
            </div>
            \(add)</div>
            \(passkeys.isEmpty ? empty : list)</section>

            """
    }

    private func item(_ passkey: SecurityPage.Passkey) -> HTML {
        let name = name(of: passkey)
        let unusable: HTML =
            passkey.isUnusable
            ? "<p class=\"small muted\">\(texts[security: .passkeyUnusable])</p>" : .none
        let rename = button(
            texts[security: .rename], .plain, answer: (PasskeyAct.renameField, passkey.id),
            about: name)
        let remove = button(
            texts[security: .remove], .plainDanger, answer: (PasskeyAct.removeField, passkey.id),
            about: name)
        return """
            <li>\(PageIcon.key.markup)<div class="grow"><strong>\(name)</strong>
            <p class="small muted">\(dates(passkey.addedAt, passkey.usedAt))</p>\(unusable)</div>
            \(rename)\(remove)</li>

            """
    }

    private func name(of passkey: SecurityPage.Passkey) -> String {
        passkey.name.isEmpty ? texts[security: .passkey] : passkey.name
    }

    // MARK: One passkey

    /// The title of a page about one.
    func title(of page: PasskeyPage) -> String {
        switch page.question {
        case .adding: texts[security: .addPasskey]
        case .name(let passkey):
            texts[security: .renameTitle].replacing("{{name}}", with: name(of: passkey))
        case .removal(let passkey):
            texts[security: .removalTitle].replacing("{{name}}", with: name(of: passkey))
        }
    }

    /// The form below its title.
    func passkey(_ title: String, _ page: PasskeyPage) -> HTML {
        switch page.question {
        case .adding(let prompt, let typed):
            let content: HTML =
                "\(hidden(PasskeyAct.add.fields))\(field(nameInput(typed, isRequired: false), nil))"
            return """
                \(heading(title, lead("\(texts[security: .passkeyLead])")))\
                \(note(page.problem, [:]))\
                \(passkeyForm(
                    page.token, prompt, content, button(texts[security: .createPasskey])))\(back)
                """
        case .name(let passkey):
            let content: HTML = """
                \(hidden(PasskeyAct.rename(passkeyID: passkey.id).fields))\
                \(field(nameInput(passkey.name, isRequired: true), nil))\
                \(button(texts[security: .renameIt]))
                """
            return """
                \(heading(title, .none))\(note(page.problem, [:]))\
                \(form(page.token, content))\(back)
                """
        case .removal(let passkey):
            return removal(title, page.token, passkey)
        }
    }

    private func nameInput(_ value: String, isRequired: Bool) -> PageInput {
        PageInput(
            field: .name, label: texts[security: .passkeyName],
            hint: texts[security: .passkeyNameHint],
            type: "type=\"text\" maxlength=\"64\"", autocomplete: "off", value: value,
            isRequired: isRequired)
    }

    /// What a removal does, and the button that does it. The first one keeps the passkey.
    private func removal(
        _ title: String, _ token: String, _ passkey: SecurityPage.Passkey
    ) -> HTML {
        let remove = form(
            token,
            """
            \(hidden(PasskeyAct.remove(passkeyID: passkey.id).fields))\
            \(button(texts[security: .removeIt], .danger, hint: "removal"))
            """)
        let hint: HTML = "\(texts[security: .passkeyRemovalHint])"
        return """
            \(heading(title, .none))\
            <a class="button" href="\(url(.security))">\(texts[security: .keep])</a>
            \(apart(texts[security: .removePasskey], hint, id: "removal", remove))
            """
    }
}
