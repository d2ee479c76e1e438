import Contracts
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import NotificationService

@Suite("N-05: Templates of the operator")
struct OperatorTemplatesTests {
    private let folder: TemporaryFolder
    private let product: HeaderText

    init() throws {
        folder = try TemporaryFolder()
        product = try #require(HeaderText("Tea"))
    }

    private func mail(_ language: String) throws -> MailContent {
        try TemplateCatalogue(OperatorTemplates(folder: folder.path)).mail(
            .verifyEmail, language: language, product: product,
            values: [.link: "https://a.example/x"])
    }

    private func faults() -> [String] {
        do {
            _ = try TemplateCatalogue(OperatorTemplates(folder: folder.path))
            return []
        } catch {
            return error.faults.map(\.description)
        }
    }

    @Test("N-05: a file replaces one built-in wording; all others stay")
    func words() throws {
        let text = "Subject: Servus {{product}}\n\nSog ja:\n\n[Ja]({{link}})\n"
        _ = try folder.write(text, to: "verify-email.de.mail")
        _ = try folder.write("not read", to: ".hidden")
        _ = try folder.write("not read", to: "verify-email.de.mail~")
        let german = try mail("de-AT")
        #expect(german.subject.text == "Servus Tea")
        #expect(german.text.hasPrefix("Sog ja:\n\nJa\nhttps://a.example/x?lang=de\n\n"))
        #expect(german.html.contains(">Servus Tea</h1>"))
        #expect(try mail("en").subject.text == "Confirm your email for Tea")
    }

    @Test("N-05: a text of the release before, which does not name the place, is used as it is")
    func former() throws {
        let text = "Subject: {{product}}\n\nAdded: {{method}}\n\n- {{device}}\n- {{time}}\n"
        _ = try folder.write(text, to: "method-added.en.mail")
        let mail = try TemplateCatalogue(OperatorTemplates(folder: folder.path)).mail(
            .methodAdded, language: "en", product: product,
            values: [.method: "google", .device: "Pixel", .place: "Leipzig", .time: "noon"])
        #expect(mail.text.hasPrefix("Added: Google\n\n- Pixel\n- noon\n"))
    }

    @Test("N-05: the markup of one mail, the frame and the footer can be replaced")
    func markup() throws {
        _ = try folder.write(
            "<b>{{product}}</b> <a href=\"{{link}}\">ok</a>", to: "verify-email.en.html")
        _ = try folder.write(
            "<html lang=\"{{language}}\"><h1>{{title}}</h1>{{> content}}<i>{{footer}}</i>",
            to: "layout.html")
        _ = try folder.write("Yours, {{product}} & all\n", to: "footer.en.text")
        let mail = try mail("en")
        #expect(
            mail.html == """
                <html lang="en"><h1>Confirm your email</h1><b>Tea</b> \
                <a href="https://a.example/x?lang=en">ok</a><i>Yours, Tea &amp; all</i>
                """)
        #expect(mail.text.hasSuffix("Yours, Tea & all"))
        #expect(mail.text.contains("Please confirm"))
    }

    @Test("N-05: in a formal language the operator's formal file comes first, then any of his")
    func formal() throws {
        func subject() throws -> String {
            try TemplateCatalogue(OperatorTemplates(folder: folder.path), formal: .all).mail(
                .verifyEmail, language: "de", product: product, values: [.link: "https://a.example"]
            ).subject.text
        }
        #expect(try subject() == "Bestätigen Sie Ihre E-Mail-Adresse für Tea")
        _ = try folder.write("Subject: Servus\n\nx", to: "verify-email.de.mail")
        #expect(try subject() == "Servus")
        _ = try folder.write("Subject: Grüß Gott\n\nx", to: "verify-email.de-formal.mail")
        #expect(try subject() == "Grüß Gott")
        #expect(try mail("de").subject.text == "Servus")
        _ = try folder.write("Subject: x\n\nx", to: "welcome.fr-formal.mail")
        #expect(faults() == ["welcome.fr-formal.mail: the language fr has no formal voice"])
    }

    @Test("N-05: all errors are reported at once, each with its file")
    func invalidFiles() throws {
        _ = try folder.write("Subject: x\n\n{{devise}}", to: "sign-in.de.mail")
        _ = try folder.write("Subject: x\n\ny", to: "sign-in.it.mail")
        _ = try folder.write("x", to: "sing-in.de.mail")
        _ = try folder.write("x", to: "README")
        _ = try folder.write("<p title=\"{{product}}\">", to: "sign-in.en.html")
        _ = try folder.write(String(repeating: "x", count: 4_097), to: "phone-code.en.sms")
        _ = try folder.write("x", to: "new-device.en.push")
        _ = try folder.write("{{title", to: "layout.html")
        let faults = faults()
        for expected in [
            ("sign-in.de.mail, line 3", "allowed: product, name, method, device, place, time"),
            ("sign-in.it.mail", "none of en, de, es, fr, ja"), ("sing-in.de.mail", "welcome"),
            ("README", "NAME.LANGUAGE.KIND"), ("sign-in.en.html", "cannot stand here"),
            ("phone-code.en.sms", "4096"), ("new-device.en.push", "Title"), ("layout.html", "{{"),
        ] {
            #expect(
                faults.contains { $0.hasPrefix(expected.0) && $0.contains(expected.1) },
                "\(expected): \(faults)")
        }
        #expect(faults.count == 8, "\(faults)")
    }

    @Test("N-05: a file that is not UTF-8 and a folder that does not exist are errors")
    func unreadable() throws {
        try folder.write(bytes: [0x53, 0xFF, 0xFE], to: "welcome.en.mail")
        #expect(faults() == ["welcome.en.mail: it is not UTF-8"])
        let none = OperatorTemplates(folder: folder.file("none"))
        #expect(throws: TemplateFaults.self) { try TemplateCatalogue(none) }
    }

    @Test("N-05: a folder with errors is rejected at start, by name; --check reports it too")
    func start() throws {
        _ = try folder.write("x", to: "welcome.xx.mail")
        let refused = #expect(throws: SettingsRefused.self) {
            try NotificationFixture.settings(["POSTERN_TEMPLATE_FOLDER": folder.path])
        }
        #expect(refused?.text.contains("template-folder") == true)
        #expect(refused?.text.contains("welcome.xx.mail") == true)
        #expect(throws: SettingsRefused.self) {
            try NotificationFixture.settings(["POSTERN_TEMPLATE_LANGUAGE": "it"])
        }
        let settings = try NotificationFixture.settings(["POSTERN_TEMPLATE_LANGUAGE": "ja"])
        #expect(settings.templates.live.value.standard == .japanese)
        let formal = try NotificationFixture.settings(["POSTERN_FORMAL_LANGUAGES": "es"])
        #expect(formal.templates.live.value.formal.contains(.spanish))
    }

    @Test("N-05: the templates that the tool prints are the built-in ones")
    func ours() throws {
        for row in TemplateListing.rows {
            for language in Language.allCases {
                let file = "\(row.name).\(language.rawValue).\(row.kind)"
                _ = try folder.write(try TemplateListing.builtIn(file), to: file)
            }
        }
        for file in ["layout.html", "footer.en.text"] {
            _ = try folder.write(try TemplateListing.builtIn(file), to: file)
        }
        let ours = try TemplateCatalogue.embedded.mail(
            .verifyEmail, language: "fr", product: product,
            values: [.link: "https://a.example/x"])
        #expect(try mail("fr") == ours)
        #expect(throws: TemplateFault.self) { try TemplateListing.builtIn("welcome.en.html") }
        let formal = try TemplateListing.builtIn("phone-code.de-formal.sms")
        #expect(formal.hasSuffix("Geben Sie ihn an niemanden weiter.\n"))
    }
}
