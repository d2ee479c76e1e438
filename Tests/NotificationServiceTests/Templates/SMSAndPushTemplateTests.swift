import Contracts
import ServiceRuntime
import Testing

@testable import NotificationService

@Suite("Texts and push messages")
struct SMSAndPushTemplateTests {
    private let product = HeaderText("Tea and Cake")
    /// Characters that take one septet in a text message (3GPP TS 23.038, 6.2.1), of those in use.
    private static let gsm = Set(
        "@£$¥èéùìòÇØøÅåÆæßÉÄÖÑÜ§¿äöñüà !\"#%&'()*+,-./0123456789:;<=>?¡"
            + "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// The longest name of an app with which all texts are one segment.
    private static func longestName(in language: Language) throws -> HeaderText {
        let count = language == .japanese ? 20 : 30
        return try #require(HeaderText(String(repeating: "N", count: count)))
    }

    @Test(
        "N-02, N-07: a text is one segment in every language and voice, with the longest values",
        arguments: SMSTemplate.allCases, Language.allCases)
    func segment(_ template: SMSTemplate, _ language: Language) throws {
        let product = try Self.longestName(in: language)
        let formal = try TemplateCatalogue(formal: .all)
        for catalogue in [TemplateCatalogue.embedded, formal] {
            for month in 1...12 {
                let text = try catalogue.text(
                    template, language: language.rawValue, product: product,
                    values: [
                        .code: "482913", .minutes: "10",
                        .time: "2026-\(month < 10 ? "0" : "")\(month)-28 23:59 UTC",
                    ])
                #expect(text.contains(product.text) && !text.contains("{{"))
                let isGSM = text.allSatisfy(Self.gsm.contains)
                #expect(isGSM != (language == .japanese), "\(text)")
                #expect(text.utf16.count <= (isGSM ? 160 : 70), "\(text.utf16.count): \(text)")
            }
        }
    }

    @Test("N-02: a text with a code has the code and how long it is valid")
    func codes() throws {
        for language in Language.allCases {
            let text = try TemplateCatalogue.embedded.text(
                .phoneCode, language: language.rawValue, product: try #require(product),
                values: [.code: "482913", .minutes: "10"])
            #expect(text.contains("482913") && text.contains("10"), "\(text)")
        }
    }

    @Test(
        "N-07: what stands on a lock screen names no address, number or link",
        arguments: Language.allCases)
    func discreet(_ language: Language) throws {
        let values: [TemplateVariable: String] = [
            .device: "Pixel", .place: "Leipzig", .method: "google", .time: "noon",
        ]
        let name = try #require(product)
        let formal = try TemplateCatalogue(formal: .all)
        for catalogue in [TemplateCatalogue.embedded, formal] {
            var texts: [String] = []
            for template in PushTemplate.allCases {
                let words = try catalogue.push(
                    template, language: language.rawValue, product: name, values: values)
                texts += [words.title, words.body]
            }
            for template in SMSTemplate.allCases where template != .phoneCode {
                texts.append(
                    try catalogue.text(
                        template, language: language.rawValue, product: name, values: values))
            }
            for text in texts {
                #expect(!text.contains { $0.isASCII && $0.isNumber }, "\(text)")
                for mark in ["@", "/", "www", "http"] { #expect(!text.contains(mark), "\(text)") }
            }
        }
        let told =
            PushTemplate.allCases.flatMap(\.variables)
            + SMSTemplate.allCases.filter { $0 != .phoneCode }.flatMap(\.variables)
        #expect(Set(told).isDisjoint(with: [.link, .address, .code, .name]))
    }

    @Test(
        "N-02: a push message has no gap, whichever values are not known",
        arguments: PushTemplate.allCases, Language.allCases)
    func gaps(_ template: PushTemplate, _ language: Language) throws {
        for gaps in template.variables.gaps {
            var values: [TemplateVariable: String] = [
                .device: "Pixel", .place: "Leipzig", .method: "google", .time: "noon",
            ]
            for variable in gaps { values[variable] = "" }
            let body = try TemplateCatalogue.embedded.push(
                template, language: language.rawValue, product: try #require(product),
                values: values
            ).body
            for gap in ["“”", "„“", "«\u{A0}\u{A0}»", "「」", "  ", " .", " ,", ",,", "、、", "、。"] {
                #expect(!body.contains(gap), "\(body)")
            }
        }
    }

    @Test(
        "N-02: every push message is short enough for a lock screen, in every language",
        arguments: PushTemplate.allCases, Language.allCases)
    func pushes(_ template: PushTemplate, _ language: Language) throws {
        let words = try TemplateCatalogue.embedded.push(
            template, language: language.rawValue, product: try #require(product),
            values: [
                .device: "Pixel", .place: "Leipzig", .method: "google",
                .time: "2026-01-31 09:05 UTC",
            ])
        #expect((1...40).contains(words.title.count))
        #expect((1...200).contains(words.body.count))
        #expect(!words.body.contains("{{"))
        let names = try PushWording(
            #require(
                TemplateSource(
                    builtIn: OperatorFileName(
                        kind: .push, template: template.rawValue, language: language))),
            variables: template.variables
        ).names
        #expect(names.subtracting(["product"]) == Set(template.variables.map(\.rawValue)))
    }

    private static let code = [
        OrderPair(name: "code", value: "482913"), OrderPair(name: "minutes", value: "5"),
    ]

    private func text(_ template: String, _ variables: [OrderPair]) throws -> String? {
        TemplateCatalogue.embedded.text(
            of: SMSOrder(
                recipient: "+4915112345678", templateName: template, lane: .security,
                language: "de-AT", variables: variables, expiresAt: nil, account: nil),
            product: try #require(HeaderText("Tea")))
    }

    private func push(_ template: String, _ variables: [OrderPair]) throws -> PushWords? {
        TemplateCatalogue.embedded.push(
            of: PushOrder(
                owner: try #require(AccountID(key: 1)), device: 1, templateName: template,
                lane: .security, language: "ja", variables: variables, title: "T", body: "B"),
            product: try #require(HeaderText("Tea")))
    }

    /// The field that a request with these variables is rejected for.
    private func invalidField(_ pairs: [OrderPair], _ template: some MessageTemplate) -> String? {
        do {
            try RequestFields.values(pairs, for: template)
            return nil
        } catch {
            return error.fields.first
        }
    }

    @Test("N-06: each template has a lane for its channels; an unknown template has none")
    func lanes() {
        #expect(SMSTemplate(rawValue: "phone-code")?.lane == .requested)
        #expect(PushTemplate(rawValue: "phone-code") == nil)
        #expect(MailTemplate(rawValue: "welcome")?.lane == .bulk)
        #expect(PushTemplate(rawValue: "new-device")?.lane == .security)
        #expect(SMSTemplate(rawValue: "nothing") == nil)
    }

    @Test("N-02: a variable that is missing or invalid is reported by name")
    func invalidVariables() {
        let code = Self.code
        #expect(invalidField(code, SMSTemplate.phoneCode) == nil)
        #expect(invalidField([code[0]], SMSTemplate.phoneCode) == "variables.minutes")
        let link = [OrderPair(name: "code", value: "evil.example"), code[1]]
        #expect(invalidField(link, SMSTemplate.phoneCode) == "variables.code")
        let device = [
            OrderPair(name: "device", value: ""), OrderPair(name: "place", value: "a@b"),
        ]
        #expect(invalidField(device, PushTemplate.newDevice) == "variables.place")
    }

    @Test("N-02: texts are in the reader's language; a push without template uses its own text")
    func orders() throws {
        let code = Self.code
        #expect(try text("phone-code", code)?.hasPrefix("482913 ist dein Code für Tea") == true)
        #expect(try text("nothing", code) == nil)
        #expect(try text("phone-code", [code[0]]) == nil)
        #expect(try push("", []) == PushWords(title: "T", body: "B"))
        #expect(try push("email-changed", [])?.title == "メールアドレスが変更されました")
        #expect(try push("nothing", []) == nil)
    }
}
