import Contracts
import ServiceRuntime
import Testing

@testable import NotificationService

@Suite("All messages in all languages")
struct TemplateCatalogueTests {
    private let product: HeaderText
    private let catalogue = TemplateCatalogue.embedded
    private static let hostile: [TemplateVariable: String] = [
        .link: "https://app.example/verify?a=1&b=2", .device: "Zoë's <phone>",
        .time: "2026-01-31 09:05 UTC", .name: "Ada & <Co>", .place: "<Leipzig>",
        .method: "google", .methods: "google apple", .address: "ada@example.org",
        .code: "482913", .minutes: "5", .count: "3", .validity: "1440",
        .notMeLink: "https://app.example/not-me?a=1&b=2",
        .securityLink: "https://app.example/security?a=1&b=2",
    ]

    init() throws { product = try #require(HeaderText("Tea & <Cake>")) }

    private func mail(
        _ template: MailTemplate, _ language: Language = .english,
        _ values: [TemplateVariable: String] = hostile
    ) throws -> MailContent {
        try catalogue.mail(
            template, language: language.rawValue, product: product, values: values)
    }

    @Test(
        "N-01: every mail in every language has text and HTML with all values, escaped",
        arguments: MailTemplate.allCases, Language.allCases)
    func mails(_ template: MailTemplate, _ language: Language) throws {
        let mail = try mail(template, language)
        #expect(mail.language == language.rawValue)
        #expect(mail.subject.text.contains("Tea & <Cake>"))
        #expect(mail.text.contains("Tea & <Cake>"))
        #expect(mail.html.contains("Tea &amp; &lt;Cake&gt;"))
        #expect(mail.html.contains("<html lang=\"\(language.rawValue)\" dir=\"ltr\">"))
        for bad in ["<Cake>", "<phone>", "<Co>", "<Leipzig>", "{{", "<script", "<img", "src="] {
            #expect(!mail.html.contains(bad), "\(bad)")
        }
        #expect(!mail.text.contains("{{") && !mail.subject.text.contains("{{"))
        let shown = try template.variables.shown(Self.hostile, product: product, in: language)
        for variable in template.variables {
            let value = try #require(shown[variable.rawValue])
            #expect(mail.text.contains(value), "\(variable)")
            #expect(mail.html.contains(HTMLText.escape(value)), "\(variable)")
        }
        let links = mail.html.ranges(of: "href=").count
        #expect(links == 2 * template.variables.count { TemplateVariable.links.contains($0) })
    }

    @Test(
        "N-01: a mail has the same variables and paragraphs in every language",
        arguments: MailTemplate.allCases)
    func sameFacts(_ template: MailTemplate) throws {
        let english = try builtIn(template, .english)
        for language in Language.allCases {
            let text = try builtIn(template, language)
            let wording = try MailWording(text, variables: template.variables)
            let facts = Set(template.variables.map(\.rawValue))
            // One mail mentions the device only in a section, for when it has a name.
            #expect(wording.names.subtracting(["product"]) == facts, "\(language)")
            let paragraphs = { (text: TemplateSource) in text.text.split(separator: "\n\n").count }
            #expect(paragraphs(text) == paragraphs(english), "\(language)")
        }
    }

    @Test(
        "N-05: a formal voice has the variables, paragraphs and lengths of the informal one",
        arguments: [Language.german, .spanish])
    func formal(_ language: Language) throws {
        let formal = try TemplateCatalogue(formal: .all)
        for template in MailTemplate.allCases {
            let mail = try formal.mail(
                template, language: language.rawValue, product: product, values: Self.hostile)
            let informal = try self.mail(template, language)
            #expect(mail.text != informal.text, "\(template)")
            #expect(mail.language == language.rawValue)
            #expect(
                mail.text.split(separator: "\n\n").count
                    == informal.text.split(separator: "\n\n").count, "\(template)")
            let shown = try template.variables.shown(Self.hostile, product: product, in: language)
            for variable in template.variables {
                #expect(mail.text.contains(try #require(shown[variable.rawValue])), "\(template)")
            }
        }
        for template in PushTemplate.allCases {
            let words = try formal.push(
                template, language: language.rawValue, product: product, values: Self.hostile)
            #expect(words.title.count <= 40 && words.body.count <= 200, "\(template)")
        }
        let text = try formal.text(
            .phoneCode, language: language.rawValue, product: product, values: Self.hostile)
        #expect(text.utf16.count <= 160)
    }

    private func builtIn(
        _ template: MailTemplate, _ language: Language
    ) throws -> TemplateSource {
        try #require(
            TemplateSource(
                builtIn: OperatorFileName(
                    kind: .mail, template: template.rawValue, language: language)))
    }

    /// What a text has where a value is missing.
    private static let gaps = [
        "“”", "„“", "«»", "«\u{A0}\u{A0}»", "「」", ": \n", "：\n", "  ", "()", "（）", " .", " ,", ",,",
        "、、", "{{",
    ]

    @Test(
        "N-01: whichever values are not known, no mail has a gap, in any language and voice",
        arguments: MailTemplate.allCases)
    func empty(_ template: MailTemplate) throws {
        let formal = try TemplateCatalogue(formal: .all)
        let isAct = !Set(template.variables).isDisjoint(with: [.device, .place])
        for gaps in template.variables.gaps.flatMap({ isAct ? [$0, $0 + [.time]] : [$0] }) {
            var values = Self.hostile
            for variable in gaps { values[variable] = "" }
            for (words, language) in Language.allCases.flatMap({ [(catalogue, $0), (formal, $0)] })
            {
                let mail = try words.mail(
                    template, language: language.rawValue, product: product, values: values)
                let text = mail.text + "\n"
                for gap in Self.gaps {
                    #expect(!text.contains(gap), "\(language) without \(gaps): \(text)")
                }
                #expect(!mail.html.contains("<title>\(mail.language)"))
                #expect(!mail.html.contains("\"></p>"), "\(language) without \(gaps)")
            }
        }
    }

    @Test("N-01: a sentence without a device or a time, and a greeting without a name, is whole")
    func sentences() throws {
        var values = Self.hostile
        for variable in [TemplateVariable.device, .place, .name, .time] { values[variable] = "" }
        #expect(
            try mail(.sessionDisplaced, .english, values).text.contains(
                ", a device was signed out."))
        #expect(try mail(.signIn).text.hasPrefix("Hello Ada & <Co>! Someone signed in"))
        #expect(try mail(.signIn, .english, values).text.hasPrefix("Someone signed in"))
    }

    @Test("N-01: mails of the release before, which had no place or name, are sent")
    func formerActs() throws {
        let former: [TemplateVariable: String] = [
            .method: "google", .device: "Pixel", .time: "2026-01-31 09:05 UTC",
            .address: "ada@example.org",
        ]
        for template in [
            MailTemplate.methodAdded, .methodRemoved, .emailChanged, .sessionReplayed,
        ] {
            let text = try mail(template, .english, former).text
            #expect(text.contains("- Time: 31 January 2026, 09:05 UTC"), "\(template)")
            #expect(!text.contains("lace:") && !text.contains("from:"), "\(template)")
        }
    }

    @Test("a mail of a release that did not say how long its link is valid is sent without it")
    func former() throws {
        let mail = try mail(.verifyEmail, .english, [.link: "https://a.example/x"])
        #expect(mail.text.contains("The link works once."))
        #expect(try self.mail(.verifyEmail).text.contains("once and is valid for 24 hours."))
    }

    @Test(
        "the link of a mail names the mail's language, before a fragment and at most once",
        arguments: [
            ("https://a.example/x?token=t", "https://a.example/x?token=t&lang=de"),
            ("https://a.example/x", "https://a.example/x?lang=de"),
            ("https://a.example/x?token=t#a?b", "https://a.example/x?token=t&lang=de#a?b"),
            ("https://a.example/x#a", "https://a.example/x?lang=de#a"),
            ("https://a.example/x?slang=a", "https://a.example/x?slang=a&lang=de"),
            ("https://a.example/x?lang=fr&a=b", "https://a.example/x?lang=fr&a=b"),
        ])
    func pageLinks(_ link: String, _ shown: String) throws {
        var values = Self.hostile
        values[.link] = link
        for template in MailTemplate.allCases where template.variables.contains(.link) {
            let mail = try catalogue.mail(
                template, language: "de-AT", product: product, values: values)
            #expect(mail.text.contains("\n\(shown)\n"), "\(template)")
            #expect(mail.html.contains("href=\"\(HTMLText.escape(shown))\""), "\(template)")
        }
    }

    @Test("N-01: a mail says what to do with a link by which its reader disowns it, and without")
    func notMe() throws {
        var values = Self.hostile
        for template in [MailTemplate.signIn, .newDevice, .methodAdded] {
            values[.notMeLink] = "https://a.example/not-me?token=t"
            let mail = try mail(template, .german, values)
            let button = "Das war ich nicht\nhttps://a.example/not-me?token=t&lang=de"
            #expect(mail.text.contains(button), "\(template)")
            #expect(!mail.text.contains("melde alle Geräte ab"), "\(template)")
            values[.notMeLink] = nil
            let former = try self.mail(template, .german, values)
            #expect(!former.text.contains("Das war ich nicht"), "\(template)")
            #expect(former.text.contains("melde alle Geräte ab"), "\(template)")
        }
    }

    @Test("a missing variable is reported by name")
    func missing() {
        let error = #expect(throws: TemplateRenderingError.self) {
            try mail(.verifyEmail, .english, [:])
        }
        #expect(error?.missing == .link)
    }

    @Test("N-05: an address in a mail is masked")
    func masked() throws {
        for template in [MailTemplate.emailChangeRequested, .emailChanged] {
            let mail = try mail(template)
            #expect(mail.text.contains("a…@e….org"))
            #expect(!mail.text.contains("example.org") && !mail.html.contains("example.org"))
        }
    }

    @Test("a mail loads nothing: no image, style sheet, font or script")
    func selfContained() throws {
        var values = Self.hostile
        values[.notMeLink] = ""
        let html = try mail(.signIn, .english, values).html
        for word in ["http", "url(", "@import", "@font-face", "<link", "<script", "<img"] {
            #expect(!html.contains(word), "\(word)")
        }
        #expect(html.contains("max-width:560px"))
        #expect(html.contains("prefers-color-scheme: dark"))
    }

    @Test("N-06: security warnings have a higher priority than welcome mails")
    func lanes() {
        #expect(MailTemplate.resetPassword.lane == .requested)
        #expect(MailTemplate.signInCode.lane == .requested)
        #expect(MailTemplate.newDevice.lane == .security)
        #expect(MailTemplate.signIn.lane == .notice)
        #expect(MailTemplate.welcome.lane == .bulk)
    }
}
