import ServiceRuntime

/// Renders a page in one state: a card that says whose page it is, whose account, what it is about,
/// and what can be done, in this order. It works in every browser without a script; only `/security`
/// has one, for passkeys (`PasskeyScript`). The classes are those of `Sources/Texts/page/style.css`.
package struct PageView: Sendable {
    /// The page.
    package let page: Page
    /// The operator's look.
    package let theme: Theme
    /// Its sentences.
    package let texts: PageTexts
    /// Where the style sheet and the pictures are: `/pages/`, or empty for files in one folder.
    package let assets: String
    /// What is said of the app. A page that asks for a password must say whose it is.
    package let app: AppOptions
    /// What is known of its link.
    package let link: PageLink
    /// What the script asks the browser for at a sign-in; nil for nothing.
    var prompt: PasskeyPrompt?
    /// What the browser learns of passkeys, beside what the state says.
    var signal: PasskeySignal?

    /// A page in a language.
    package init(
        _ page: Page, theme: Theme, texts: PageTexts, assets: String, app: AppOptions,
        link: PageLink
    ) {
        (self.page, self.theme, self.texts) = (page, theme, texts)
        (self.assets, self.app, self.link) = (assets, app, link)
    }

    /// The whole document.
    package func document(_ state: PageState) -> HTML {
        let title = title(state)
        let wide: HTML = state.isWide ? " wide" : .none
        return """
            <!DOCTYPE html>
            <html lang="\(texts.language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <meta name="color-scheme" content="light dark">
            <title>\(isError(state) ? texts.errorTitle(title) : title) – \(app.name)</title>
            <link rel="stylesheet" href="\(assets)style.css">
            \(extraSheet)<link rel="icon" href="\(assets)\(theme.icon.name)">
            \(script(state))</head>
            <body class="page\(wide)">
            <div class="card">
            \(brand(signOut(state)))<main>
            \(content(state))\(told(state))</main>
            \(footer(state))</div>
            </body>
            </html>

            """
    }

    private func title(_ state: PageState) -> String {
        switch state {
        case .done(_, let result): texts[result.title]
        case .lastQuestion: texts[.questionTitle]
        case .form, .ways, .sessionNeeded, .consequences, .export, .parent, .security:
            texts[.title]
        case .proof(_, let form, _): texts[proof: form.act == nil ? .title : .changeTitle]
        case .proofElsewhere: texts[proof: .title]
        case .setUp: texts[security: .add]
        case .removal(_, let factor, _):
            texts[security: .removalTitle].replacing("{{name}}", with: name(of: factor))
        case .passkey(let page): title(of: page)
        case .unusable: texts[.unusableTitle]
        case .switchedOff: texts[.offTitle]
        case .foreign: texts[.foreignTitle]
        }
    }

    private func isError(_ state: PageState) -> Bool {
        switch state {
        case .unusable, .switchedOff, .foreign: true
        case .form, .ways, .sessionNeeded, .consequences, .lastQuestion, .export, .parent, .proof,
            .proofElsewhere, .security, .setUp, .removal, .passkey, .done:
            state.problem != nil
        }
    }

    /// The operator's own style sheet, after ours.
    private var extraSheet: HTML {
        guard let sheet = theme.extraSheet else { return .none }
        return "<link rel=\"stylesheet\" href=\"\(assets)\(sheet.name)\">\n"
    }

    private func content(_ state: PageState) -> HTML {
        switch state {
        case .form(let token, let email, let newEmail, let problem):
            // The sentence of a page with a password asks for it.
            let isWhole = page.field == nil || !fields.isEmpty
            let text: HTML = isWhole ? lead("\(texts[.intro])") : .none
            // A passkey signs in without fields, where there are no passwords.
            let hasForm = page != .security || !fields.isEmpty
            let filled =
                hasForm ? form(token, [.email: email, .newEmail: newEmail], problem) : .none
            return """
                \(heading(title(state), text))\(note(problem, labels))\
                \(filled)\(signInByPasskey(token))
                """
        case .ways(let token, let form, let problem):
            return ways(title(state), token, form, problem)
        case .export(let page): return export(title(state), page)
        case .sessionNeeded(let continueURI):
            let text = texts[.sessionNeeded].replacing("{{app}}", with: app.name)
            return """
                \(heading(title(state), lead("\(text)")))\(wayOn(continueURI))
                """
        case .consequences(let token, let sentences, let problem):
            let text: HTML = sentences.isEmpty ? .none : lead("\(texts[.consequences])")
            return """
                \(heading(title(state), text))\(note(problem, labels))\
                \(consequences(token, sentences))
                """
        case .lastQuestion(let token, let confirmation, let onlyLater, let due):
            return """
                \(heading(title(state), lead("\(texts[.question])")))\
                \(lastQuestion(token, confirmation, onlyLater: onlyLater, due))
                """
        case .parent(let token, let childName, let isGiven, let deletionAt, let problem):
            let isShown = !token.isEmpty
            return """
                \(heading(title(state), isShown ? asked(childName, isGiven, deletionAt) : .none))\
                \(note(problem, labels))\(isShown ? answers(token, isGiven, deletionAt) : .none)
                """
        case .proof(let token, let form, let problem):
            return proof(title(state), token, form, problem)
        case .proofElsewhere:
            let text = texts[proof: .elsewhere].replacing("{{app}}", with: app.name)
            return "\(heading(title(state), lead("\(text)")))\(wayOn(""))"
        case .security(let page):
            return security(page)
        case .setUp(let form):
            return setUp(form)
        case .removal(let token, let factor, let isLast):
            return removal(title(state), token, factor, isLast: isLast)
        case .passkey(let page):
            return passkey(title(state), page)
        case .done(let continueURI, let result):
            return done(continueURI, result)
        case .unusable:
            let text = explanation(texts[.unusable], next: texts[.unusableNext])
            return """
                \(outcome(title(state), text, .unlink, role: "alert"))\(request)
                """
        case .switchedOff:
            let text = lead("\(texts[.off].replacing("{{app}}", with: app.name))")
            return """
                \(outcome(title(state), text, .alert, role: "alert"))\(wayOn(""))
                """
        case .foreign:
            return foreign
        }
    }

    // MARK: Parts of all pages

    /// Whose page it is: the logo, or the first letter of the name, and the name. A logo that shows
    /// the name has it as its text.
    /// - Parameter end: What is on the other side.
    private func brand(_ end: HTML) -> HTML {
        let name: HTML = "<span>\(app.name)</span>\n"
        guard let logo = theme.logo else {
            return """
                <header class="brand">
                <span class="mark" aria-hidden="true">\(app.name.prefix(1).uppercased())</span>
                \(name)\(end)</header>

                """
        }
        let text = theme.isNameBesideLogo ? "" : app.name
        return """
            <header class="brand">
            <picture>
            \(darkLogo)<img class="logo" src="\(assets)\(logo.name)" alt="\(text)">
            </picture>
            \(theme.isNameBesideLogo ? name : .none)\(end)</header>

            """
    }

    private var darkLogo: HTML {
        guard let logo = theme.darkLogo else { return .none }
        return """
            <source srcset="\(assets)\(logo.name)" media="(prefers-color-scheme: dark)">

            """
    }

    /// Whose account, what the page is about, and one sentence why.
    /// - Parameter isPrinted: Whether it comes out on paper.
    func heading(_ title: String, _ lead: HTML, isPrinted: Bool = true) -> HTML {
        let unprinted: HTML = isPrinted ? .none : " unprinted"
        return """
            <div class="group\(unprinted)">
            \(account)<h1>\(title)</h1>
            \(lead)</div>

            """
    }

    /// A paragraph below the title.
    func lead(_ sentence: HTML) -> HTML { "<p class=\"muted\">\(sentence)</p>\n" }

    /// The address that the link was mailed to. A long one may be broken before `@` and dots.
    private var account: HTML {
        let address = link.email
        guard let at = address.lastIndex(of: "@") else { return .none }
        let domain = address[at...].split(separator: ".", omittingEmptySubsequences: false)
        let parts = domain.enumerated().map { index, part -> HTML in
            let dot: HTML = index == 0 ? .none : "."
            return "<wbr>\(dot)\(String(part))"
        }
        return """
            <p class="account">\(PageIcon.person.markup)<span><span class="unseen">\
            \(texts[.address])</span> \(String(address[..<at]))\(parts)</span></p>

            """
    }

    /// That something is wrong, before the form: with a link to the field at fault, which has the
    /// sentence beside it; or with the sentence, if no field is. It has the focus, so that a screen
    /// reader reads it first (WCAG 2.2, 3.3.1).
    /// - Parameter labels: The names of the form's fields.
    func note(_ problem: PageProblem?, _ labels: [Page.Field: String]) -> HTML {
        guard let problem else { return .none }
        let line: HTML =
            if let field = problem.field, let label = labels[field] {
                """
                <a href="#\(field.rawValue)">\
                \(texts[.check].replacing("{{label}}", with: label))</a>
                """
            } else {
                "\(texts.joined(problem.sentences))"
            }
        return """
            <div class="note" role="alert" tabindex="-1" autofocus>
            \(PageIcon.alert.markup)
            <div class="group">
            <h2>\(texts[.problem])</h2>
            <p>\(line)</p>
            </div>
            </div>

            """
    }

    /// A page in the language of this one. Each page has a cookie of its own, so the URL says it.
    func url(_ page: Page) -> String { "\(page.path)?lang=\(texts.language.rawValue)" }

    /// A sentence with a moment in the place of `{{date}}`.
    func dated(_ sentence: PageTexts.Sentence, _ moment: Timestamp?) -> HTML {
        let parts = texts[sentence].split(
            separator: "{{date}}", maxSplits: 1, omittingEmptySubsequences: false)
        guard let moment, parts.count == 2 else { return "\(texts[sentence])" }
        return """
            \(String(parts[0]))<time datetime="\(moment.text)">\
            \(moment.moment(in: texts.language))</time>\(String(parts[1]))
            """
    }

    // MARK: Results

    /// The title of a page without a form, with a symbol.
    private func outcome(
        _ title: String, _ text: HTML, _ icon: PageIcon, isGood: Bool = false, role: HTML
    ) -> HTML {
        let good: HTML = isGood ? " good" : .none
        return """
            <div class="group" role="\(role)">
            <span class="symbol\(good)">\(icon.markup)</span>
            <h1>\(title)</h1>
            \(text)</div>

            """
    }

    /// Why a page has no form, and what to do.
    private func explanation(_ reason: String, next: String) -> HTML {
        """
        \(lead("\(reason)"))<p>\(next)</p>

        """
    }

    private func done(_ continueURI: String, _ result: PageResult) -> HTML {
        let icon: PageIcon = result.until == nil ? .check : .clock
        let text = lead(dated(result.text, result.until))
        return """
            \(outcome(texts[result.title], text, icon, isGood: result.isGoingOn, role: "status"))\
            \(wayOn(continueURI, isFirst: result.isGoingOn))
            """
    }

    /// Where the person goes on: the app's redirect URI, or else the theme's home page. A link, no
    /// redirect: `form-action` would stop one to another origin, and the page would not be read.
    private func wayOn(_ continueURI: String, isFirst: Bool = true) -> HTML {
        let next = continueURI.isEmpty ? theme.homeURL : continueURI
        guard !next.isEmpty else { return .none }
        let secondary: HTML = isFirst ? .none : " secondary"
        return """
            <a class="button\(secondary)" href="\(next)">\
            \(texts[.resume].replacing("{{app}}", with: app.name))</a>

            """
    }

    /// The link to `Page.request`.
    private var request: HTML {
        guard let target = page.request, app.takesPasswords || !target.needsPasswords else {
            return .none
        }
        return "<a class=\"button\" href=\"\(url(target))\">\(texts[.request])</a>\n"
    }

    private var foreign: HTML {
        let next: PageTexts.Shared = page.needsLink ? .foreignLink : .foreignPage
        let text = explanation(texts[.foreign], next: texts[next])
        let title = outcome(texts[.foreignTitle], text, .alert, role: "alert")
        guard !page.needsLink else { return title }
        return """
            \(title)<a class="button" href="\(url(page))">\(texts[.reopen])</a>

            """
    }

    // MARK: The footer

    private func footer(_ state: PageState) -> HTML {
        let parts = [languages(state), links].filter { !$0.text.isEmpty }
        return parts.isEmpty ? .none : "<footer>\n\(parts)</footer>\n"
    }

    /// The other languages. A result is a response to a form, which a link would not repeat.
    private func languages(_ state: PageState) -> HTML {
        if case .done = state { return .none }
        let items = Language.allCases.map { language -> HTML in
            let code = language.rawValue
            let current: HTML = language == texts.language ? " aria-current=\"true\"" : .none
            return """
                <li><a href="\(page.path)?lang=\(code)" hreflang="\(code)" lang="\(code)"\
                \(current)>\(language.ownName)</a></li>

                """
        }
        return """
            <nav aria-label="\(texts[.language])">
            <ul class="links">
            \(items)</ul>
            </nav>

            """
    }

    private var links: HTML {
        let items = [(theme.imprintURL, texts[.imprint]), (theme.privacyURL, texts[.privacy])]
            .filter { !$0.0.isEmpty }
            .map { url, label -> HTML in "<li><a href=\"\(url)\">\(label)</a></li>\n" }
        return items.isEmpty ? .none : "<ul class=\"links\">\n\(items)</ul>\n"
    }
}
