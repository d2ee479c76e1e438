import Contracts
import Testing

@testable import NotificationService

@Suite("Wording of a mail")
struct MailWordingTests {
    private func wording(_ text: String) throws -> MailWording {
        try MailWording(
            TemplateSource(file: "m.en.mail", line: 1, text: text),
            variables: [.link, .device, .place, .code])
    }

    @Test("N-05: one source gives the text part and the HTML part")
    func parts() throws {
        let wording = try wording(
            """
            Subject: For {{product}}
            Title: Hello & welcome

            First <line>,
            second.

            [Open {{device}}]({{link}})

            {{code}}

            - Device: {{device}}
            - Place: {{place}}

            {{#place}}Only there{{/place}}
            """)
        let values = [
            "product": "P", "device": "<d>", "link": "https://a.example/?a&b", "code": "12",
        ]
        let text = """
            First <line>,
            second.

            Open <d>
            https://a.example/?a&b

            12

            - Device: <d>
            """
        #expect(wording.text(values) == text)
        let html = wording.html(values)
        #expect(html.contains("First &lt;line&gt;,<br>\nsecond."))
        #expect(html.contains(">Open &lt;d&gt;</a>"))
        #expect(html.contains("href=\"https://a.example/?a&amp;b\""))
        #expect(html.contains(">12</p>"))
        #expect(html.contains("Device: &lt;d&gt;"))
        #expect(!html.contains("Place"))
        #expect(!html.contains("Only there"))
        #expect(wording.preview(values) == "First <line>,\nsecond.")
        #expect(wording.names == ["product", "device", "link", "code", "place"])
    }

    @Test(
        "N-05: an invalid mail template is rejected, and the error gives its line",
        arguments: [
            ("", 1, "Subject"), ("Title: x\n\nx", 1, "Subject"), ("Subject: x\n", 1, "paragraphs"),
            ("Subject: x\nSubjet: y\n\nz", 2, "Title"), ("Subject: x\nSubject: y\n\nz", 2, "once"),
            ("Subject: {{link}}\n\nx", 1, "allowed: product, device, place, code"),
            ("Subject: x\n\nGo to {{link}} now", 3, "[words]({{link}})"),
            ("Subject: x\n\na\n\n\n{{nobody}}", 6, "allowed:"),
            ("Subject: x\n\n{{#place}}a\n\nb{{/place}}", 3, "not closed"),
            ("Subject: x\n\n- a\nb", 4, "- "),
            ("Subject: x\n\n[{{link}}]({{link}})", 3, "allowed:"),
        ])
    func faults(_ text: String, _ line: Int, _ word: String) {
        let fault = #expect(throws: TemplateFault.self) { try wording(text) }
        #expect(fault?.line == line)
        #expect(fault?.file == "m.en.mail")
        #expect(fault?.sentence.contains(word) == true, "\(fault?.sentence ?? "")")
    }

    @Test("N-01: a button is left out without its link, and a paragraph may ask for one")
    func secondLink() throws {
        func wording(_ paragraph: String) throws -> MailWording {
            try MailWording(
                TemplateSource(file: "m.en.mail", line: 1, text: "Subject: x\n\n\(paragraph)"),
                variables: [.notMeLink])
        }
        let both = try wording(
            """
            {{#not-me-link}}Press it{{/not-me-link}}{{^not-me-link}}Do it{{/not-me-link}}

            [Not me]({{not-me-link}})
            """)
        let link = "https://a.example/?a"
        #expect(both.text(["not-me-link": link]) == "Press it\n\nNot me\n\(link)")
        #expect(both.html(["not-me-link": link]).contains("href=\"\(link)\""))
        #expect(both.text(["not-me-link": ""]) == "Do it")
        #expect(!both.html(["not-me-link": ""]).contains("href"))
        for wrong in [
            "Go to {{not-me-link}}", "[{{not-me-link}}]({{not-me-link}})", "[a]({{link}})",
        ] {
            #expect(throws: TemplateFault.self, "\(wrong)") { try wording(wrong) }
        }
    }

    @Test("N-05: the number of paragraphs is limited")
    func bounds() {
        #expect(throws: TemplateFault.self) {
            try wording("Subject: x\n" + String(repeating: "\na\n", count: 51))
        }
    }
}
