import Testing

@testable import WebService

@Suite("Style sheet, icon and pictures of pages")
struct PageAssetsTests {
    @Test("the style sheet and the icon are served, and nothing that the theme does not have")
    func served() async throws {
        try await PagesFixture.run { fixture in
            let sheet = try await fixture.get("/pages/style.css")
            #expect(sheet.status == 200)
            #expect(sheet.fields["content-type"] == "text/css; charset=utf-8")
            #expect(sheet.text == Theme.standard.styleSheet)
            let icon = try await fixture.get("/pages/icon.svg")
            #expect(icon.status == 200)
            #expect(icon.fields["content-type"] == "image/svg+xml")
            #expect(icon.text.hasPrefix("<svg ") && !icon.text.contains("fill=\"\""))
            for none in ["logo.svg", "extra.css", "theme.css", "", "../apps.yaml"] {
                #expect(try await fixture.get("/pages/\(none)").status == 404, "\(none)")
            }
            #expect(fixture.gateway.calls.isEmpty)
        }
    }

    @Test("F-01: the script of passkeys is small, calls nothing and writes no markup")
    func script() async throws {
        try await PagesFixture.run { fixture in
            let script = try await fixture.get("/pages/\(PasskeyScript.name)")
            #expect(script.status == 200 && script.text == PasskeyScript.text)
            #expect(script.fields["content-type"] == "text/javascript; charset=utf-8")
            #expect(script.fields["x-content-type-options"] == "nosniff")
            #expect((1...PasskeyScript.bytesMax).contains(script.body.count))
            let forbidden = [
                "fetch", "XMLHttpRequest", "sendBeacon", "WebSocket", "import", "eval", "Function(",
                "innerHTML", "outerHTML", "insertAdjacent", "document.write", "http", "cookie",
                "localStorage",
            ]
            for word in forbidden { #expect(!script.text.contains(word), "\(word)") }
        }
    }

    @Test("what keeps an operator's own sheet harmless: nothing is loaded from elsewhere")
    func policy() async throws {
        try await PagesFixture.run { fixture in
            let page = try await fixture.get("/forgot-password")
            let policy = try #require(page.fields["content-security-policy"])
            let rules = policy.split(separator: "; ")
            #expect(rules.contains("default-src 'none'") && rules.contains("img-src 'self'"))
            #expect(rules.contains("style-src 'self'"))
            #expect(!policy.contains("font-src") && !policy.contains("http"))
            let asset = try await fixture.get("/pages/icon.svg")
            #expect(asset.fields["content-security-policy"]?.hasSuffix("; sandbox") == true)
            #expect(asset.fields["x-content-type-options"] == "nosniff")
        }
    }
}
