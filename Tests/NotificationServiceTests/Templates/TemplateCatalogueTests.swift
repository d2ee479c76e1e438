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
        #expect(links == (template.variables.contains(.link) ? 2 : 0))
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

    @Test("N-01: without optional values no mail has a gap, in any language")
    func empty() throws {
        var values = Self.hostile
        for variable in [TemplateVariable.device, .place, .name, .methods, .validity] {
            values[variable] = ""
        }
        for template in MailTemplate.allCases {
            for language in Language.allCases {
                let mail = try mail(template, language, values)
                for gap in ["“”", "„“", "«»", "「」", ": \n", "：\n", "  ", "()", "（）"] {
                    #expect(!mail.text.contains(gap), "\(template) \(language) \(gap)")
                }
                #expect(!mail.html.contains("<title>\(mail.language)"))
            }
        }
        #expect(
            try mail(.sessionDisplaced, .english, values).text.contains(", a device was signed"))
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
        let html = try mail(.signIn).html
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
