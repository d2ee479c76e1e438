import ServiceRuntime

/// Renders a page in one state. It has no script, so that it works in every browser and none can be
/// smuggled in.
package struct PageView: Sendable {
    /// The page.
    package let page: Page
    /// The operator's look.
    package let theme: Theme
    /// Its sentences.
    package let texts: PageTexts
    /// Where the style sheet and the logo are: `/pages/`, or empty for files in one folder.
    package let assets: String
    /// What is known of its link.
    package let link: PageLink

    /// A page in a language.
    package init(
        _ page: Page, theme: Theme, texts: PageTexts, assets: String, link: PageLink = .unknown
    ) {
        (self.page, self.theme, self.texts, self.assets) = (page, theme, texts, assets)
        self.link = link
    }

    /// The whole document.
    package func document(_ state: PageState) -> HTML {
        let title = title(state)
        let isError: Bool
        switch state {
        case .form(_, _, let problems), .consequences(_, _, let problems),
            .parent(_, _, _, let problems):
            isError = !problems.isEmpty
        case .lastQuestion: isError = false
        case .done: isError = false
        case .unusable, .foreign: isError = true
        }
        let full = isError ? texts.errorTitle(title) : title
        return """
            <!DOCTYPE html>
            <html lang="\(texts.language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <meta name="color-scheme" content="light dark">
            <title>\(theme.name.isEmpty ? full : "\(full) – \(theme.name)")</title>
            <link rel="stylesheet" href="\(assets)style.css">
            \(theme.logo == nil ? "" : icon)</head>
            <body>
            \(header)<main>
            \(account)\(content(state, title))</main>
            <footer>
            \(languages(state))\(links)</footer>
            </body>
            </html>

            """
    }

    private func title(_ state: PageState) -> String {
        switch state {
        case .done(_, let result): texts[result.title]
        case .lastQuestion: texts[.questionTitle]
        case .form, .consequences, .parent, .unusable, .foreign: texts[.title]
        }
    }

    private var icon: HTML { "<link rel=\"icon\" href=\"\(assets)logo\">\n" }

    /// The app's name, as a logo if there is one.
    private var header: HTML {
        if theme.logo != nil {
            return """
                <header><img class="logo" src="\(assets)logo" alt="\(theme.name)"></header>

                """
        }
        return theme.name.isEmpty
            ? .none : "<header><p class=\"name\">\(theme.name)</p></header>\n"
    }

    /// Whose page it is: the address that its link was mailed to.
    private var account: HTML {
        link.email.isEmpty ? .none : "<p class=\"account\">\(link.email)</p>\n"
    }

    /// The field that a person fills in: no password where the link alone confirms.
    private var field: Page.Field? {
        page.provesByPassword && !link.needsPassword ? nil : page.field
    }

    private func content(_ state: PageState, _ title: String) -> HTML {
        switch state {
        case .form(let token, let email, let problems):
            // The sentence of a page with a password asks for it.
            let intro: HTML = field == page.field ? "<p>\(texts[.intro])</p>\n" : .none
            return """
                \(summary(problems, leadingTo: field))<h1>\(title)</h1>
                \(intro)\(form(token, email, problems))
                """
        case .consequences(let token, let sentences, let problems):
            return """
                \(summary(problems, leadingTo: nil))<h1>\(title)</h1>
                \(consequences(token, sentences))
                """
        case .lastQuestion(let token, let confirmation, let onlyLater):
            return """
                <h1>\(title)</h1>
                \(lastQuestion(token, confirmation, onlyLater ? [.later] : DeletionChoice.allCases))
                """
        case .parent(let token, let childName, let isGiven, let problems):
            return """
                \(summary(problems, leadingTo: nil))<h1>\(title)</h1>
                \(parent(token, childName, isGiven))
                """
        case .done(let continueURI, let result):
            // A link, no redirect: `form-action` would stop one to another origin, and the result
            // would not be read.
            let next: HTML =
                continueURI.isEmpty
                ? .none
                : "<p><a class=\"button\" href=\"\(continueURI)\">\(texts[.resume])</a></p>\n"
            return """
                <h1>\(title)</h1>
                <p role="status">\(texts[result.text])</p>
                \(next)
                """
        case .unusable:
            return """
                <h1>\(title)</h1>
                <div class="problem" role="alert">
                <p>\(texts[.unusable])</p>
                </div>
                <p>\(texts[.unusableNext])</p>
                \(request)
                """
        case .foreign:
            return """
                <h1>\(title)</h1>
                <div class="problem" role="alert">
                <p>\(texts[.foreign])</p>
                </div>
                """
        }
    }

    /// Where another link can be requested.
    private var request: HTML {
        let target: Page? =
            switch page {
            case .resetPassword: .forgotPassword
            case .deleteAccount: .deleteAccount
            case .verifyEmail, .changeEmail, .forgotPassword, .keepAccount, .yourData, .parent: nil
            }
        guard let target else { return .none }
        return "<p><a href=\"\(url(target))\">\(texts[.request])</a></p>\n"
    }

    /// A page in the language of this one. Each page has a cookie of its own, so the URL says it.
    func url(_ page: Page) -> String { "\(page.path)?lang=\(texts.language.rawValue)" }

    // MARK: The form

    /// The problems, each with a link to the field, if there is one. It has the focus, so that a
    /// screen reader reads it first (WCAG 2.2, 3.3.1).
    private func summary(_ problems: [String], leadingTo field: Page.Field?) -> HTML {
        guard !problems.isEmpty else { return .none }
        let lines = problems.map { problem -> HTML in
            guard let field else { return "<li>\(problem)</li>\n" }
            return "<li><a href=\"#\(field.rawValue)\">\(problem)</a></li>\n"
        }
        return """
            <div class="problem" role="alert" tabindex="-1" autofocus>
            <h2>\(texts[.problem])</h2>
            <ul>
            \(lines)</ul>
            </div>

            """
    }

    private func form(_ token: String, _ email: String, _ problems: [String]) -> HTML {
        guard let field else { return buttonForm(token, texts[.button]) }
        let name = field.rawValue
        let marks: HTML =
            problems.isEmpty
            ? " aria-describedby=\"\(name)-hint\""
            : " aria-describedby=\"\(name)-hint \(name)-error\" aria-invalid=\"true\""
        let value = field == .email ? email : ""
        let before = page == .yourData ? address(email) : userName
        return """
            <form method="post" action="\(url(page))">
            <input type="hidden" name="\(PageForm.field)" value="\(token)">
            \(before)<label for="\(name)">\(texts[.label])</label>
            <p class="hint" id="\(name)-hint">\(texts[.hint])</p>
            \(problemsOfField(name, problems))<input id="\(name)" name="\(name)" \(inputType(field)) \
            autocomplete="\(page.autocomplete)" value="\(value)" required\(marks)>
            <button type="submit">\(texts[.button])</button>
            </form>

            """
    }

    /// For whom a password manager fills in or keeps the password. Without a name it is not sent.
    private var userName: HTML {
        guard field == .password, !link.email.isEmpty else { return .none }
        return """
            <input type="text" autocomplete="username" value="\(link.email)" hidden>

            """
    }

    /// The address, before the password.
    private func address(_ email: String) -> HTML {
        let name = Page.Field.email.rawValue
        return """
            <label for="\(name)">\(texts[.emailLabel])</label>
            <input id="\(name)" name="\(name)" \(inputType(.email)) autocomplete="username" \
            value="\(email)" required>

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

    private func problemsOfField(_ name: String, _ problems: [String]) -> HTML {
        guard !problems.isEmpty else { return .none }
        return "<p class=\"error\" id=\"\(name)-error\">\(problems.joined(separator: " "))</p>\n"
    }

    // MARK: The footer

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
            <ul>
            \(items)</ul>
            </nav>

            """
    }

    private var links: HTML {
        let items = [(theme.imprintURL, texts[.imprint]), (theme.privacyURL, texts[.privacy])]
            .filter { !$0.0.isEmpty }
            .map { url, label -> HTML in "<li><a href=\"\(url)\">\(label)</a></li>\n" }
        return items.isEmpty ? .none : "<ul>\n\(items)</ul>\n"
    }
}
