import ServiceRuntime
import Testing

@testable import WebService

@Suite("Pages as documents")
struct PageViewTests {
    private static let samples = PagePreview.Sample.allCases

    private func document(
        _ page: Page, _ sample: PagePreview.Sample, _ language: Language = .english,
        theme: Theme = .standard
    ) -> String? {
        PagePreview.document(page, sample, language, theme: theme, isFormal: false)?.text
    }

    @Test(
        "each page in each state and language is well-formed, with one heading of the first level",
        arguments: Page.allCases, Language.allCases)
    func wellFormed(page: Page, language: Language) throws {
        for sample in Self.samples {
            guard let text = document(page, sample, language) else {
                #expect(isLeftOut(sample, of: page), "\(page) \(sample)")
                continue
            }
            #expect(!isLeftOut(sample, of: page), "\(page) \(sample)")
            #expect(MarkupCheck.problem(in: text) == nil, "\(page) \(sample): \(text)")
            #expect(text.contains("<html lang=\"\(language.rawValue)\">"))
            #expect(text.split(separator: "<h1>").count == 2)
            let scripts = text.matches(of: /<script[^>]*>/).map { String($0.0) }
            let own = ["<script src=\"passkeys.js\" defer>"]
            #expect(scripts.isEmpty || page == .security && scripts == own, "\(page) \(sample)")
            #expect(!text.contains(" style="))
            #expect(!text.contains("{{"))
        }
    }

    private func isLeftOut(_ sample: PagePreview.Sample, of page: Page) -> Bool {
        switch sample {
        case .consequences, .question, .kept, .deleted, .waiting: page != .deleteAccount
        case .given, .refused, .withdrawn: page != .parent
        case .session: !page.mayNeedSession
        case .off: !page.needsPasswords
        case .byPassword: page != .deleteAccount
        case .byPhone, .phoneCode, .phoneCodeError: !page.hasWays
        case .inApp, .unprepared, .preparing, .ready: page != .yourData
        // A download is its result.
        case .done: page == .yourData
        case .unusable: [Page.correctEmail, .forgotPassword, .security].contains(page)
        case .proof, .proofError, .sending, .sent, .elsewhere: !page.mayNeedSecondProof
        case .empty, .list, .few, .setUp, .setUpError, .codes, .removal, .again, .byPasskey,
            .passkeyAdding, .passkeyError, .passkeyName, .passkeyRemoval:
            page != .security
        case .form, .error, .limited, .foreign: false
        }
    }

    @Test("the title of a page with an error begins with it", arguments: Page.allCases)
    func titles(page: Page) throws {
        for sample in Self.samples {
            guard let text = document(page, sample) else { continue }
            let isError = [
                .error, .limited, .unusable, .off, .foreign, .proofError, .setUpError,
                .passkeyError, .phoneCodeError,
            ].contains(sample)
            #expect(text.contains("<title>Error: ") == isError, "\(page) \(sample)")
        }
    }

    @Test(
        "the summary of errors has the focus, and leads to the field",
        arguments: Page.allCases.filter { $0.field != nil })
    func summary(page: Page) throws {
        let field = try #require(page.field).rawValue
        let text = try #require(document(page, .error))
        #expect(text.contains("role=\"alert\" tabindex=\"-1\" autofocus>"))
        #expect(text.contains("<p><a href=\"#\(field)\">Check “"))
        #expect(text.contains("aria-describedby=\"\(field)-error \(field)-hint"))
        #expect(text.split(separator: " aria-invalid=\"true\"").count == 2)
        let first = try #require(document(page, .form))
        #expect(!first.contains("autofocus") && !first.contains("aria-invalid"))
    }

    @Test(
        "an error that is about no field is in the summary, and marks none",
        arguments: Page.allCases)
    func limited(page: Page) throws {
        let text = try #require(document(page, .limited))
        let sentence = ErrorCode.tooManyRequests.sentence(in: .english)
        #expect(text.contains("<p>\(sentence)</p>"))
        #expect(text.contains("role=\"alert\" tabindex=\"-1\" autofocus>"))
        // A passkey's prompt has an error too, which its script shows.
        #expect(!text.contains("aria-invalid") && !text.contains("class=\"error\" id="))
    }

    @Test("one sentence is on a page once", arguments: Page.allCases, Language.allCases)
    func once(page: Page, language: Language) throws {
        for sample in [PagePreview.Sample.error, .limited] {
            let text = try #require(document(page, sample, language))
            let paragraphs = text.matches(of: /<(?:p|li|span)[^>]*>([^<]+)</).map { $0.1 }
            #expect(Set(paragraphs).count == paragraphs.count, "\(sample): \(paragraphs)")
        }
    }

    @Test(
        "fields have a label, and what a password manager looks for",
        arguments: [
            (Page.verifyEmail, "current-password"), (.changeEmail, "current-password"),
            (.resetPassword, "new-password"), (.forgotPassword, "username"),
            (.deleteAccount, "username"), (.yourData, "current-password"),
            (.security, "current-password"), (.correctEmail, "current-password"),
        ])
    func fields(page: Page, autocomplete: String) throws {
        let text = try #require(document(page, .form))
        let field = try #require(page.field).rawValue
        #expect(text.contains("<label for=\"\(field)\">"))
        #expect(text.contains("<input id=\"\(field)\" name=\"\(field)\" type=\""))
        #expect(text.contains(" autocomplete=\"\(autocomplete)\""))
        let parts = ["class=\"field\"", "<label", "class=\"hint\"", "<input id="]
        let counts = Set(parts.map { text.split(separator: $0).count })
        #expect(counts.count == 1, "each field has a label, a hint and an input")
        #expect(text.contains("<form method=\"post\" action=\"\(page.path)?lang=en\">"))
    }

    @Test("a page that needs no field has a button, and says an error without leading to a field")
    func button() throws {
        let form = try #require(document(.keepAccount, .form))
        #expect(form.contains("<button type=\"submit\">Keep my account</button>"))
        #expect(!form.contains("<label") && form.contains("name=\"form\""))
        let error = try #require(document(.keepAccount, .error))
        #expect(error.contains("role=\"alert\" tabindex=\"-1\" autofocus>"))
        #expect(!error.contains("<li><a href=\"#"))
    }

    @Test("N-01: the page about a sign-in of somebody else asks, and offers a new password instead")
    func notMe() throws {
        let form = try #require(document(.notMe, .form))
        #expect(form.contains("<button type=\"submit\">It was not me</button>"))
        #expect(form.contains("<form method=\"post\" action=\"/not-me?lang=en\">"))
        #expect(!form.contains("<label") && !form.contains("<script"))
        let unusable = try #require(document(.notMe, .unusable))
        #expect(unusable.contains("<a class=\"button\" href=\"/forgot-password?lang=en\">"))
        let done = try #require(document(.notMe, .done))
        #expect(done.contains("All devices are signed out") && !done.contains("<form"))
    }

    @Test("the last question of a deletion has buttons for no, for later and for now")
    func lastQuestion() throws {
        let text = try #require(document(.deleteAccount, .question))
        let buttons = text.matches(of: /<button(?: class="([a-z]+)")? [^>]*>([^<]*)</)
        #expect(buttons.map { $0.1 ?? "" } == ["", "secondary", "danger"])
        #expect(
            buttons.map { $0.2.replacing("\u{A0}", with: " ") } == [
                "Keep my account", "Delete it on 5 December 2026", "Delete it now",
            ])
        #expect(text.contains("name=\"choice\" value=\"now\">Delete it now</button>"))
        #expect(text.contains("name=\"choice\" value=\"later\">"))
        #expect(text.contains("name=\"confirmation\""))
        let first = try #require(document(.deleteAccount, .consequences))
        #expect(!first.contains("value=\"now\"") && !first.contains("confirmation"))
        #expect(first.contains(DeletionConsequence.final.sentence(count: 0, in: .english)))
    }

    @Test(
        "a page has one filled button at most, and a dangerous one last, below its consequence",
        arguments: Page.allCases)
    func buttons(page: Page) throws {
        for sample in Self.samples {
            guard let text = document(page, sample) else { continue }
            let filled = text.matches(of: /<button type|class="button"/).count
            #expect(filled <= 1, "\(sample)")
            let parts = text.split(separator: "<button class=\"danger\"")
            guard parts.count > 1 else { continue }
            #expect(parts.count == 2 && !parts[1].contains("<button"), "\(sample)")
            let apart = try #require(parts[0].split(separator: "class=\"apart group\"").last)
            #expect(apart.contains("<h2>") && apart.contains("<p class=\"small muted\""))
        }
    }

    @Test("whose page, whose account, what about: in this order, on each page with a link")
    func order() throws {
        for page in Page.allCases {
            let text = try #require(document(page, .form))
            let parts = ["class=\"brand\"", "class=\"account\"", "<h1>", "<form"]
            let places = parts.compactMap { text.firstRange(of: $0)?.lowerBound }
            #expect(places.count == (page.needsLink ? 4 : 3), "\(page)")
            #expect(places == places.sorted(), "\(page)")
        }
    }

    @Test("a long address may be broken before its parts, and stays text")
    func address() {
        let view = PageView(
            .keepAccount, theme: .standard,
            texts: PageTexts(.keepAccount, in: .english, isFormal: false), assets: "",
            app: AppOptions(name: "Shop"),
            link: PageLink(email: "a.b<c>@mail.example.org", proof: .nothing))
        let text = view.document(.form(token: "t")).text
        #expect(text.contains("a.b&lt;c&gt;<wbr>@mail<wbr>.example<wbr>.org</span>"))
        #expect(MarkupCheck.problem(in: text) == nil, "\(text)")
    }

    @Test("a password is never in a page, a typed address is")
    func typed() throws {
        let view = PageView(
            .forgotPassword, theme: .standard,
            texts: PageTexts(.forgotPassword, in: .english, isFormal: false), assets: "",
            app: AppOptions(name: "Shop"), link: .unknown)
        let hostile = "\"><script>alert(1)</script>@x"
        let text = view.document(
            .form(token: "t", email: hostile, problem: PageProblem("<b>no</b>"))
        ).text
        #expect(MarkupCheck.problem(in: text) == nil, "\(text)")
        #expect(text.contains("value=\"&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;@x\""))
        #expect(text.contains("&lt;b&gt;no&lt;/b&gt;"))
        #expect(!text.contains("<script"))
        #expect(try #require(document(.verifyEmail, .error)).contains(" value=\"\" required"))
    }

    @Test("a theme's name, logo and links are in every page")
    func theme() throws {
        var theme = Theme.standard
        theme.name = "Ada & <Sons>"
        theme.homeURL = "https://shop.example.org/"
        theme.imprintURL = "https://shop.example.org/imprint?a=b&c=d"
        theme.privacyURL = "https://shop.example.org/privacy"
        let text = try #require(document(.verifyEmail, .form, theme: theme))
        #expect(text.contains("aria-hidden=\"true\">A</span>"))
        #expect(text.contains("<span>Ada &amp; &lt;Sons&gt;</span>"))
        #expect(text.contains(" – Ada &amp; &lt;Sons&gt;</title>"))
        #expect(text.contains("href=\"https://shop.example.org/imprint?a=b&amp;c=d\""))
        theme.logo = ThemeFile(name: "logo.png", bytes: [1], mediaType: "image/png")
        theme.darkLogo = ThemeFile(name: "logo-dark.svg", bytes: [1], mediaType: "image/svg+xml")
        theme.extraSheet = ThemeFile(name: "extra.css", bytes: [1], mediaType: "text/css")
        let withLogo = try #require(document(.verifyEmail, .form, theme: theme))
        #expect(withLogo.contains("src=\"logo.png\" alt=\"Ada &amp; &lt;Sons&gt;\">"))
        #expect(!withLogo.contains("<span>Ada"))
        #expect(
            withLogo.contains(
                "<source srcset=\"logo-dark.svg\" media=\"(prefers-color-scheme: dark)\">"))
        #expect(
            withLogo.contains(
                "href=\"style.css\">\n<link rel=\"stylesheet\" href=\"extra.css\">"))
        #expect(withLogo.contains("<link rel=\"icon\" href=\"logo.png\">"))
        #expect(MarkupCheck.problem(in: withLogo) == nil)
        theme.isNameBesideLogo = true
        let beside = try #require(document(.verifyEmail, .form, theme: theme))
        #expect(beside.contains("src=\"logo.png\" alt=\"\">"))
        #expect(beside.contains("<span>Ada &amp; &lt;Sons&gt;</span>"))
    }

    @Test("a result leads on where the app says, and otherwise says what to do next")
    func next() {
        func document(_ state: PageState, home: String = "") -> String {
            var theme = Theme.standard
            theme.homeURL = home
            let texts = PageTexts(.resetPassword, in: .english, isFormal: false)
            return PageView(
                .resetPassword, theme: theme, texts: texts, assets: "",
                app: AppOptions(name: "Shop"), link: .unknown
            ).document(state).text
        }
        let uri = "org.example.app:/done?a=1&b=2"
        let app = document(.done(continueURI: uri), home: "https://shop.example.org/")
        #expect(
            app.contains(
                "<a class=\"button\" href=\"org.example.app:/done?a=1&amp;b=2\">"
                    + "Continue to Shop</a>"))
        let home = document(.done(continueURI: ""), home: "https://shop.example.org/")
        #expect(home.contains("<a class=\"button\" href=\"https://shop.example.org/\">"))
        let none = document(.done(continueURI: ""))
        #expect(!none.contains("class=\"button\""))
        #expect(none.contains("sign in to the app"))
        #expect(none.contains("role=\"status\""))
    }

    @Test(
        "what is no document is found",
        arguments: [
            "<p>", "<p></b>", "</p>", "<p a=b></p>", "<p a=\"b></p>", "<p>a < b</p>", "<p>&</p>",
            "<br></br>",
        ])
    func malformed(text: String) {
        #expect(MarkupCheck.problem(in: text) != nil)
    }
}

/// A strict reader of the subset of HTML that pages use: every element is closed, every attribute
/// has a value in double quotes or none, and `<`, `>`, `&` and quotes occur in markup only.
enum MarkupCheck {
    private static let void: Set<String> = [
        "meta", "link", "input", "img", "br", "source", "wbr",
    ]

    /// What is wrong; nil for nothing.
    static func problem(in text: String) -> String? {
        var open: [String] = []
        var rest = Substring(text)
        if rest.hasPrefix("<!DOCTYPE html>\n") { rest = rest.dropFirst("<!DOCTYPE html>\n".count) }
        while let start = rest.firstIndex(of: "<") {
            if let problem = textProblem(rest[..<start]) { return problem }
            guard let end = rest[start...].firstIndex(of: ">") else { return "an open tag" }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("/") {
                guard open.popLast() == String(tag.dropFirst()) else { return "</\(tag)>" }
                continue
            }
            guard let name = tag.wholeMatch(of: Self.tag)?.1 else { return "<\(tag)>" }
            if !void.contains(String(name)) { open.append(String(name)) }
        }
        return textProblem(rest) ?? open.last.map { "<\($0)> is not closed" }
    }

    private static var tag: Regex<(Substring, Substring)> {
        /([a-z][a-z0-9]*)(?: [a-zA-Z-]+(?:="(?:[^"<>&]|&(?:amp|lt|gt|quot|#39);)*")?)*/
    }

    private static func textProblem(_ text: Substring) -> String? {
        text.wholeMatch(of: /(?:[^<>&]|&(?:amp|lt|gt|quot|#39);)*/) == nil ? "text: \(text)" : nil
    }
}
