import NotificationService
import Testing

@Suite("Templates")
struct MailTemplateTests {
    @Test("N-01: every template renders in text and HTML, with its variables and the app's name")
    func render() throws {
        let product = try #require(HeaderText("Tea & <Cake>"))
        let link = "https://app.example/verify?a=1&b=2"
        for template in MailTemplate.allCases {
            let content = try template.render(
                language: "de", product: product,
                values: [.link: link, .device: "Zoë's <phone>", .time: "noon"])
            #expect(content.language == "en")
            #expect(content.subject.text.contains("Tea & <Cake>"))
            #expect(content.text.contains("Tea & <Cake>"))
            #expect(content.html.contains("Tea &amp; &lt;Cake&gt;"))
            #expect(!content.html.contains("<Cake>"))
            let hasDevice = template.variables.contains(.device)
            #expect(content.text.contains("“Zoë's <phone>”") == hasDevice)
            #expect(content.html.contains("“Zoë&#39;s &lt;phone&gt;”") == hasDevice)
            #expect(content.text.contains("noon") == template.variables.contains(.time))
            let hasLink = template.variables.contains(.link)
            #expect(content.text.contains(link) == hasLink)
            #expect(
                content.html.contains("href=\"https://app.example/verify?a=1&amp;b=2\"") == hasLink)
        }
    }

    @Test("a missing variable is told by name")
    func missing() throws {
        let product = try #require(HeaderText("Postern"))
        let mistake = #expect(throws: TemplateMistake.self) {
            try MailTemplate.verifyEmail.render(language: "", product: product, values: [:])
        }
        #expect(mistake?.missing == .link)
    }

    @Test("a device without a name is a device")
    func nameless() throws {
        let product = try #require(HeaderText("Postern"))
        for template in [MailTemplate.sessionDisplaced, .sessionReplayed] {
            let content = try template.render(
                language: "", product: product, values: [.device: "", .time: "noon"])
            #expect(content.text.contains("a device"))
        }
    }

    @Test("a device's name and a moment are words, and no link")
    func words() {
        for good in ["", "Ada's phone", "Zoë’s (2nd) Pixel-8", "2026-01-31 09:05 UTC"] {
            #expect(TemplateVariable.device.allows(good) && TemplateVariable.time.allows(good))
        }
        for bad in [
            "evil.example", "https://evil", "a@b", "a\r\nb", "<b>", "\u{202E}x",
            String(repeating: "x", count: 257),
        ] {
            #expect(!TemplateVariable.device.allows(bad), "\(bad)")
        }
    }

    @Test("a link leads where it says")
    func links() {
        for good in ["https://a.example/x?y=z#w", "http://127.0.0.1:8080/v/%20"] {
            #expect(TemplateVariable.link.allows(good))
        }
        for bad in [
            "", "javascript:alert(1)", "HTTPS", "ftp://a.example", "//a.example",
            "https://a.example/\r\nBcc: x", "https://a.example/ x", "https://a.example/\"onclick=",
            "https://a.example/'", "https://a.example/<script>", "https://a.example/ü",
            "https://a.example/" + String(repeating: "x", count: 2_048),
        ] {
            #expect(!TemplateVariable.link.allows(bad), "\(bad)")
        }
    }
}
