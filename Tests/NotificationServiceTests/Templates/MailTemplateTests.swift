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
                language: "de", product: product, values: [.link: link])
            #expect(content.language == "en")
            #expect(content.subject.text.contains("Tea & <Cake>"))
            #expect(content.text.contains("Tea & <Cake>"))
            #expect(content.html.contains("Tea &amp; &lt;Cake&gt;"))
            #expect(!content.html.contains("<Cake>"))
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
