import Contracts
import HTTPSink
import JSON
import ServiceRuntime
import TestSupport
import Testing

@testable import NotificationService

@Suite("N-08: codes that phones fill in")
struct AutofillLinesTests {
    private static let hash = "FA+9qCX9VSu"
    private static let domain = "accounts.example.com"
    private static let both = AutofillLines(androidAppHash: hash, webDomain: domain)

    private static func order(
        _ code: String = "482913", _ language: String = "en"
    ) -> SMSOrder {
        SMSOrder(
            recipient: "+4915112345678", templateName: "phone-code", lane: .requested,
            language: language,
            variables: [
                OrderPair(name: "code", value: code), OrderPair(name: "minutes", value: "5"),
            ], expiresAt: nil, account: nil)
    }

    @Test(
        "N-08: each line is there if its setting is; the site's is the last",
        arguments: [
            (nil, nil, "Code 482913"), (hash, nil, "Code 482913\nFA+9qCX9VSu"),
            (nil, domain, "Code 482913\n@accounts.example.com #482913"),
            (hash, domain, "Code 482913\nFA+9qCX9VSu\n@accounts.example.com #482913"),
        ] as [(String?, String?, String)])
    func lines(_ hash: String?, _ domain: String?, _ text: String) {
        let lines = AutofillLines(androidAppHash: hash, webDomain: domain)
        #expect(lines.appended(to: "Code 482913", of: Self.order()) == text)
    }

    @Test(
        "N-08: with both lines a code is one segment, and short enough for Android",
        arguments: [Language.english, .german, .spanish, .french], [FormalLanguages.none, .all])
    func length(_ language: Language, _ formal: FormalLanguages) throws {
        let product = try #require(HeaderText("Tea and Cake"))
        let catalogue = try TemplateCatalogue(formal: formal)
        let text = try #require(
            catalogue.text(
                of: Self.order("482913", language.rawValue), product: product, lines: Self.both))
        #expect(text.hasSuffix("\nFA+9qCX9VSu\n@accounts.example.com #482913"))
        #expect(SMSRoute.segments(of: text) == 1)
        #expect(text.utf8.count <= 140, "\(text.utf8.count)")
        #expect(text.utf16.count <= 160)
    }

    @Test("N-08: a text without a code gets no lines")
    func others() {
        var order = Self.order()
        order.templateName = "nothing"
        #expect(Self.both.appended(to: "Hello", of: order) == "Hello")
        var without = Self.order()
        without.variables = []
        #expect(Self.both.appended(to: "Hello", of: without) == "Hello")
    }

    @Test("N-08: an operator's own text gets the lines, also if it lacks the code")
    func ownText() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("Look at the last line.\n", to: "phone-code.en.sms")
        let catalogue = try TemplateCatalogue(OperatorTemplates(folder: folder.path))
        let product = try #require(HeaderText("Tea"))
        #expect(
            catalogue.text(of: Self.order(), product: product, lines: Self.both)
                == "Look at the last line.\nFA+9qCX9VSu\n@accounts.example.com #482913")
    }

    @Test(
        "N-08: a hash or a domain that no phone knows is refused at the start",
        arguments: [
            (["sms-android-app-hash": "FA+9qCX9VS"], "sms-android-app-hash"),
            (["sms-android-app-hash": "FA+9qCX9VSu="], "sms-android-app-hash"),
            (["sms-android-app-hash": "FA+9qCX9VSü"], "sms-android-app-hash"),
            (["sms-web-domain": "https://app.example"], "sms-web-domain"),
            (["sms-web-domain": "app.example:443"], "sms-web-domain"),
            (["sms-web-domain": "App.example"], "sms-web-domain"),
            (["sms-web-domain": "localhost"], "sms-web-domain"),
            (["sms-web-domain": "büro.example"], "sms-web-domain"),
            (["sms-web-domain": "app.example #1"], "sms-web-domain"),
            (
                [
                    "sms-android-app-hash": hash,
                    "sms-web-domain": "a-name-of-the-site-that-is-much-too-long.example",
                    "sender-name": "A shop with a long name",
                ], "Android reads 140 at most"
            ),
        ])
    func refused(_ environment: [String: String], _ words: String) {
        let refused = #expect(throws: SettingsRefused.self) {
            try SMSAndPushFixture.settings(environment)
        }
        #expect(refused?.text.contains(words) == true)
    }

    @Test("N-08: a long domain is permitted where no app on Android reads the text")
    func webOnly() throws {
        let settings = try SMSAndPushFixture.settings([
            "sms-web-domain": "a-name-of-the-site-that-is-much-too-long.example",
            "sender-name": "A shop with a long name",
        ])
        #expect(settings.sms.lines.androidAppHash == nil)
    }

    @Test("N-08: the provider, or the inbox, gets the text with both lines")
    func delivered() async throws {
        let sink = try await HTTPSink { _ in .answer(204) }
        let lines = ["sms-android-app-hash": Self.hash, "sms-web-domain": Self.domain]
        let provider = [
            "provider-plaintext": "true", "sms-providers": "webhook",
            "sms-webhook-url": sink.url("/sms"),
            "sms-webhook-secret": "a secret of thirty-two bytes, ok",
        ]
        let end = "\nFA+9qCX9VSu\n@accounts.example.com #482913"
        let sent = try SMSAndPushFixture(
            in: try TemporaryFolder(), lines.merging(provider) { $1 })
        #expect(try await sent.attempt(.sms(Self.order())) == .taken)
        let request = try #require(sink.requests.first)
        let object = try #require(JSONReader.object(in: request.body))
        guard case .string(let text)? = object["text"] else {
            Issue.record("the request has no text")
            return
        }
        #expect(text.hasSuffix(end))
        await sent.close()
        await sink.close()
        let local = try SMSAndPushFixture(in: try TemporaryFolder(), lines)
        #expect(try await local.attempt(.sms(Self.order())) == .taken)
        #expect(local.inbox.first?.text.contains(end) == true)
        await local.close()
    }
}
