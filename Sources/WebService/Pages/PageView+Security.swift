import ServiceRuntime

/// `/security` after the sign-in (F-03): an account's authenticator apps and its recovery codes. Its
/// passkeys: `PageView+Passkeys.swift`.
extension PageView {
    // MARK: The list

    /// The apps and the codes; codes that were just made come first, and alone on paper.
    func security(_ page: SecurityPage) -> HTML {
        let lead = lead("\(texts[security: .lead])")
        let top: HTML = """
            \(heading(texts[.title], lead, isPrinted: page.codes.isEmpty))\
            \(note(page.problem, [:]))\(notice(page.notice))\(newCodes(page))
            """
        guard let factors = page.factors else {
            return """
                \(top)<a class="button" href="\(url(.security))">\(texts[.reopen])</a>

                """
        }
        return """
            \(top)\(passkeys(page))\(apps(page, factors))\(hasCodes(page) ? codes(page) : .none)
            """
    }

    /// The button by which a person signs out of the page.
    func signOut(_ state: PageState) -> HTML {
        let token: String? =
            switch state {
            case .security(let page): page.token
            case .setUp(let form): form.token
            case .removal(let token, _, _): token
            case .passkey(let page): page.token
            case .export(let page): page.isSignedIn ? page.token : nil
            default: nil
            }
        guard let token else { return .none }
        return self.form(
            token, button(act: .signOut, texts[security: .signOut], .plain), isAtEnd: true)
    }

    /// Whether the account has recovery codes, or something for which they stand in.
    private func hasCodes(_ page: SecurityPage) -> Bool {
        page.codesLeft > 0 || page.factors?.isEmpty == false
    }

    func button(
        act: SecurityAct, _ label: String, _ kind: ButtonKind
    ) -> HTML {
        "\(hidden(act.fields))\(button(label, kind))"
    }

    /// What was just done. It is below the heading, and read at once.
    private func notice(_ notice: SecurityPage.Notice?) -> HTML {
        let sentence: PageTexts.Security? =
            switch notice {
            case .added: .addedNotice
            case .removed: .removedNotice
            case .codesMade: .codesNotice
            case .passkeyAdded: .passkeyAdded
            case .passkeyRenamed: .passkeyRenamed
            case .passkeyRemoved: .passkeyRemoved
            case nil: nil
            }
        guard let sentence else { return .none }
        return """
            <div class="note good unprinted" role="status">
            \(PageIcon.check.markup)
            <p>\(texts[security: sentence])</p>
            </div>

            """
    }

    private func apps(_ page: SecurityPage, _ factors: [SecurityPage.Factor]) -> HTML {
        let kind: ButtonKind = factors.isEmpty ? .primary : .secondary
        let add =
            app.takesSecondFactors
            ? self.form(page.token, button(act: .begin, texts[security: .add], kind)) : .none
        let empty: HTML = "<p>\(texts[security: .noApps])</p>\n"
        let items = factors.map(item)
        let list = self.form(page.token, "<ul class=\"items\">\n\(items)</ul>\n")
        return """
            <section class="apart group unprinted" aria-labelledby="apps">
            <div class="row">
            <div class="grow">
            <h2 id="apps">\(texts[security: .apps])</h2>
            <p class="small muted">\(texts[security: .appsHint])</p>
            </div>
            \(add)</div>
            \(factors.isEmpty ? empty : list)</section>

            """
    }

    private func item(_ factor: SecurityPage.Factor) -> HTML {
        let name = name(of: factor)
        let dates = dates(factor.addedAt, factor.usedAt)
        let remove = button(
            texts[security: .remove], .plainDanger,
            answer: (SecurityAct.askField, factor.id), about: name)
        return """
            <li>\(PageIcon.clock.markup)<div class="grow"><strong>\(name)</strong>
            <p class="small muted">\(dates)</p></div>
            \(remove)</li>

            """
    }

    /// When it was added, and last used.
    func dates(_ addedAt: Timestamp, _ usedAt: Timestamp?) -> String {
        let sentence: PageTexts.Security = usedAt == nil ? .datesUnused : .dates
        return texts[security: sentence]
            .replacing("{{added}}", with: addedAt.day(in: texts.language))
            .replacing("{{used}}", with: usedAt?.day(in: texts.language) ?? "")
    }

    /// The name that its owner gave it, or words.
    func name(of factor: SecurityPage.Factor) -> String {
        factor.name.isEmpty ? texts[security: .app] : factor.name
    }

    // MARK: Recovery codes

    private func codes(_ page: SecurityPage) -> HTML {
        let left = texts[security: .left].replacing("{{count}}", with: "\(page.codesLeft)")
        let few: HTML =
            page.codesLeft < SecurityPage.fewCodes ? warning(texts[security: .few]) : .none
        let make = self.form(
            page.token, button(act: .makeCodes, texts[security: .makeCodes], .secondary))
        return """
            <section class="apart group unprinted" aria-labelledby="codes">
            <div class="row">
            <div class="grow">
            <h2 id="codes">\(texts[security: .codes])</h2>
            <p class="small muted">\(texts[security: .codesHint])</p>
            </div>
            \(make)</div>
            <p>\(left)</p>
            \(few)</section>

            """
    }

    private func warning(_ sentence: String) -> HTML {
        """
        <div class="note warn unprinted">
        \(PageIcon.alert.markup)
        <p>\(sentence)</p>
        </div>

        """
    }

    /// Codes that were just made.
    private func newCodes(_ page: SecurityPage) -> HTML {
        guard !page.codes.isEmpty else { return .none }
        let title = texts[security: .codesFor].replacing("{{address}}", with: link.email)
        let about = texts[security: .codesAbout]
            .replacing("{{date}}", with: page.codesMadeAt?.day(in: texts.language) ?? "")
            .replacing("{{app}}", with: app.name)
        let items = page.codes.map { code -> HTML in "<li>\(code)</li>\n" }
        return """
            <section class="group" aria-labelledby="new-codes">
            <div class="group">
            <h2 id="new-codes">\(title)</h2>
            <p class="small muted">\(about)</p>
            </div>
            \(warning(texts[security: .once]))<ol class="codes">
            \(items)</ol>
            </section>

            """
    }

    // MARK: An app is added or removed

    /// The picture, the secret, and the form that takes a code of the app.
    func setUp(_ shown: SetUpForm) -> HTML {
        let code = PageInput(
            field: .code, label: texts[security: .codeLabel], hint: texts[security: .codeHint],
            type: Self.digits, autocomplete: "one-time-code")
        let name = PageInput(
            field: .name, label: texts[security: .name], hint: texts[security: .nameHint],
            type: "type=\"text\" maxlength=\"64\"", autocomplete: "off",
            value: shown.name ?? texts[security: .app], isRequired: false)
        let act = SecurityAct.confirm(setUp: shown.sealed)
        let content: HTML = """
            \(hidden(act.fields))\(field(code, shown.problem))\(field(name, shown.problem))\
            \(button(texts[security: .confirm]))
            """
        let first = shown.isFirst ? lead("\(texts[security: .firstHint])") : .none
        return """
            \(heading(texts[security: .add], first))\
            \(note(shown.problem, [.code: code.label, .name: name.label]))\
            \(secret(shown.setUp))\
            \(self.form(shown.token, content))\(back)
            """
    }

    private func secret(_ setUp: PageSetUp) -> HTML {
        let image = QRCode(setUp.uri)?.markup(texts[security: .qr]) ?? .none
        let until = texts[security: .until]
            .replacing("{{date}}", with: setUp.expiresAt.moment(in: texts.language))
        return """
            <div class="row">
            \(image)<div class="grow group">
            <p>\(texts[security: .setUp])</p>
            <p><code>\(setUp.secret.inFours)</code></p>
            <p class="small muted">\(until)</p>
            </div>
            </div>

            """
    }

    /// What a removal does, and the button that does it. The first one keeps the app.
    func removal(
        _ title: String, _ token: String, _ factor: SecurityPage.Factor, isLast: Bool
    ) -> HTML {
        let hint: PageTexts.Security = isLast ? .lastHint : .otherHint
        let remove = self.form(
            token,
            """
            \(hidden(SecurityAct.remove(factorID: factor.id).fields))\
            \(button(texts[security: .removeIt], .danger, hint: "removal"))
            """)
        return """
            \(heading(title, .none))\
            <a class="button" href="\(url(.security))">\(texts[security: .keep])</a>
            \(apart(texts[security: .removal], "\(texts[security: hint])", id: "removal", remove))
            """
    }

    /// Back to the list, without a change.
    var back: HTML {
        "<a class=\"button secondary\" href=\"\(url(.security))\">\(texts[security: .back])</a>\n"
    }
}

extension String {
    /// In groups of four, as people type it.
    fileprivate var inFours: String {
        var groups = ""
        for (index, character) in enumerated() {
            if index > 0, index % 4 == 0 { groups += " " }
            groups.append(character)
        }
        return groups
    }
}
