import ServiceRuntime
import Testing

@testable import WebService

@Suite("The page of an answer of Apple's without a known app")
struct AppleReturnPageTests {
    private func text(_ voice: Voice, _ theme: Theme?) -> String {
        AppleReturnPage(voice: voice, theme: theme, assets: "/pages/", host: "auth.example.org")
            .document.text
    }

    @Test("G-31: in each language it is well-formed, and says what happened and what to do")
    func languages() throws {
        var texts: Set<String> = []
        for voice in Voice.allCases {
            let text = text(voice, .standard)
            #expect(MarkupCheck.problem(in: text) == nil, "\(voice): \(text)")
            #expect(text.contains("<html lang=\"\(voice.language.rawValue)\">"))
            #expect(text.split(separator: "<h1>").count == 2 && !text.contains("{{"))
            #expect(!text.contains("<p></p>") && !text.contains("<h1></h1>"))
            #expect(!text.contains("<form") && !text.contains("<script"))
            texts.insert(text)
        }
        #expect(texts.count == Voice.allCases.count)
    }

    @Test("it has the theme's name and legal links, or the host; without pages it loads nothing")
    func looks() throws {
        var theme = Theme.standard
        theme.name = "Tea & <Cake>"
        theme.imprintURL = "https://shop.example.org/imprint"
        let named = text(Voice(.english), theme)
        #expect(named.contains("<span>Tea &amp; &lt;Cake&gt;</span>"))
        #expect(named.contains("<title>Error: ") && named.contains("/pages/style.css"))
        #expect(named.contains("href=\"https://shop.example.org/imprint\">Legal notice</a>"))
        let plain = text(Voice(.english), nil)
        #expect(plain.contains("<span>auth.example.org</span>"))
        #expect(MarkupCheck.problem(in: plain) == nil, "\(plain)")
        #expect(!plain.contains("<link") && !plain.contains("<svg"))
    }
}
