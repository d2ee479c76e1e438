import Contracts
import ServiceRuntime
import Testing

@testable import NotificationService

@Suite("Texts and push messages")
struct SMSAndPushTemplateTests {
    private let product = HeaderText("Tea and Cake")
    /// Characters that take one septet in a text message (3GPP TS 23.038, 6.2.1), of those in use.
    private static let gsm = Set(
        "@£$¥èéùìòÇØøÅåÄÖÑÜ§¿äöñüà !\"#%&'()*+,-./0123456789:;<=>?¡"
            + "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    @Test(
        "N-02: a text with a code is one segment in every language", arguments: Language.allCases)
    func segment(_ language: Language) throws {
        let text = try TemplateCatalogue.embedded.text(
            .phoneCode, language: language.rawValue, product: try #require(product),
            values: [.code: "482913", .minutes: "10"])
        #expect(text.contains("482913") && text.contains("10") && text.contains("Tea and Cake"))
        let isGSM = text.allSatisfy(Self.gsm.contains)
        #expect(isGSM != (language == .japanese), "\(text)")
        #expect(text.utf16.count <= (isGSM ? 160 : 70), "\(text.utf16.count)")
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
