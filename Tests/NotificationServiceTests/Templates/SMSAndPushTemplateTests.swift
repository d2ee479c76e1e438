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
            TemplateSource(file: "", line: 1, text: template.wordings[language]),
            variables: template.variables
        ).names
        #expect(names.subtracting(["product"]) == Set(template.variables.map(\.rawValue)))
    }
}
