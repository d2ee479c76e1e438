import Testing

@testable import WebService

@Suite("Markup of pages: literals are markup, texts are escaped")
struct HTMLTests {
    @Test(
        "no text becomes markup, in an element or an attribute",
        arguments: [
            "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onfocus='x",
            "</title><script>", "&lt;b&gt;", "<!--", "a\u{0301}<\u{0301}b>",
        ])
    func hostile(text: String) {
        let page: HTML = "<p title=\"\(text)\">\(text)</p>"
        let inside = page.text.dropFirst("<p title=\"".count).dropLast("</p>".count)
        // Scalars: a combining mark after `<` makes another `Character` of it.
        let scalars = inside.unicodeScalars
        #expect(scalars.count { $0 == "<" } == 0)
        #expect(scalars.count { $0 == ">" } == 1, "the paragraph's own")
        #expect(scalars.count { $0 == "\"" } == 1, "the attribute's own")
        #expect(scalars.count { $0 == "'" } == 0)
    }

    @Test("each special character has its entity, and nothing is escaped twice")
    func entities() {
        let text = #"a & b < c > d " e ' f"#
        let once: HTML = "\(text)"
        #expect(once.text == "a &amp; b &lt; c &gt; d &quot; e &#39; f")
        let outer: HTML = "<b>\(once)</b>"
        #expect(outer.text == "<b>\(once.text)</b>")
        let several: HTML = "\([once, outer])"
        #expect(several.text == once.text + outer.text)
    }
}
