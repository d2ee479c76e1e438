import RPC
import ServiceRuntime
import Testing

@testable import NotificationService

@Suite("Wording of text and push messages")
struct CatalogueWordingTests {
    private let wording = CatalogueWording(Reloadable(.embedded))
    private let code = [
        OrderPair(name: "code", value: "482913"), OrderPair(name: "minutes", value: "5"),
    ]

    private func text(_ template: String, _ variables: [OrderPair]) -> String? {
        wording.words(
            SMSOrder(
                recipient: "+4915112345678", templateName: template, lane: .security,
                language: "de-AT", variables: variables, expiresAt: nil, account: nil),
            product: "Tea")
    }

    private func push(_ template: String, _ variables: [OrderPair]) throws -> PushWords? {
        wording.words(
            PushOrder(
                owner: try #require(AccountID(key: 1)), device: 1, templateName: template,
                lane: .security, language: "ja", variables: variables, title: "T", body: "B"),
            product: "Tea")
    }

    @Test("N-06: each template has a lane for its channels; an unknown template has none")
    func lanes() {
        #expect(wording.lane(of: "phone-code", on: .sms) == .requested)
        #expect(wording.lane(of: "phone-code", on: .push) == nil)
        #expect(wording.lane(of: "welcome", on: .email) == .bulk)
        #expect(wording.lane(of: "new-device", on: .push) == .security)
        #expect(wording.lane(of: "nothing", on: .sms) == nil)
    }

    @Test("N-02: a variable that is missing or invalid is reported by name")
    func mistakes() {
        #expect(wording.mistake(in: code, for: "phone-code") == nil)
        #expect(wording.mistake(in: [code[0]], for: "phone-code") == "minutes")
        let link = [OrderPair(name: "code", value: "evil.example"), code[1]]
        #expect(wording.mistake(in: link, for: "phone-code") == "code")
        let device = [
            OrderPair(name: "device", value: ""), OrderPair(name: "place", value: "a@b"),
        ]
        #expect(wording.mistake(in: device, for: "new-device") == "place")
    }

    @Test("N-02: texts are in the reader's language; a push without template uses its own text")
    func words() throws {
        #expect(text("phone-code", code)?.hasPrefix("482913 ist dein Code für Tea") == true)
        #expect(text("nothing", code) == nil)
        #expect(text("phone-code", [code[0]]) == nil)
        #expect(try push("", []) == PushWords(title: "T", body: "B"))
        #expect(try push("email-changed", [])?.title == "メールアドレスが変更されました")
        #expect(try push("nothing", []) == nil)
    }
}
