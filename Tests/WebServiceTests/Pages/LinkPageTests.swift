import Messages
import ServiceRuntime
import Testing

@testable import WebService

@Suite("W-04: a page knows its link before anything is typed", .timeLimit(.minutes(1)))
struct LinkPageTests {
    private static let account = "ada<wbr>@example<wbr>.org</span></p>"
    private static let pages = Page.allCases.filter { $0.linkPurpose != nil }

    @Test("each page asks what its link is about, and shows the address", arguments: pages)
    func address(page: Page) async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(page)
            #expect(open.response.status == 200)
            #expect(open.response.text.contains(Self.account))
            let purpose = try #require(page.linkPurpose)
            let asked = PagesGateway.Described(purpose: purpose, token: "good")
            #expect(fixture.gateway.links == [asked])
        }
    }

    @Test("no two pages ask about links of the same purpose")
    func purposes() {
        #expect(Set(Self.pages.map(\.linkPurpose)).count == Self.pages.count)
        #expect(Self.pages.count == Page.allCases.count - 3)
        #expect(Self.pages.allSatisfy { $0.needsLink || $0.hasWays })
    }

    @Test("a link that does not work says so at once, and its token is gone", arguments: pages)
    func unusable(page: Page) async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(page, "token=used")
            #expect(open.response.status == 400)
            #expect(open.response.text.contains("<title>Error: "))
            #expect(open.formToken.isEmpty)
            #expect(!open.response.text.contains(PagesGateway.email))
            #expect(fixture.gateway.calls.isEmpty)
            _ = try await fixture.get(page.path, cookie: open.cookie)
            #expect(fixture.gateway.links.count == 1)
        }
    }

    @Test(
        "a page without a link asks nothing",
        arguments: [Page.correctEmail, .forgotPassword, .deleteAccount, .yourData, .security])
    func none(page: Page) async throws {
        try await PagesFixture.run { fixture in
            let query = page == .forgotPassword ? "token=good" : "lang=en"
            let open = try await fixture.open(page, query)
            #expect(open.response.status == 200)
            #expect(!open.response.text.contains("class=\"account\""))
            #expect(fixture.gateway.links.isEmpty)
        }
    }

    @Test(
        "after a wrong password the address is still there, by no other call",
        arguments: [Page.verifyEmail, .changeEmail])
    func failed(page: Page) async throws {
        try await PagesFixture.run { fixture in
            let failed = try await fixture.submit(try await fixture.open(page), "wrong")
            #expect(failed.status == 422)
            #expect(failed.text.contains(Self.account))
            #expect(fixture.gateway.links.count == 1)
        }
    }

    @Test(
        "a password is asked for only where it is needed, and an error then leads to no field",
        arguments: [Page.verifyEmail, .changeEmail])
    func passwords(page: Page) async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(page, "token=known")
            #expect(!open.response.text.contains("type=\"password\""))
            let texts = PageTexts(page, in: .english, isFormal: false)
            let (intro, button): (HTML, HTML) = (
                "\(texts[.intro])", "<button type=\"submit\">\(texts[.button])</button>"
            )
            #expect(!open.response.text.contains(intro.text))
            #expect(open.response.text.contains(button.text))
            let done = try await fixture.post(open, "form=\(open.formToken)", [:])
            #expect(done.status == 200, "\(done.text)")
            #expect(fixture.gateway.calls.map(\.input) == [""])
        }
        let view = PageView(
            page, theme: .standard, texts: PageTexts(page, in: .english, isFormal: false),
            assets: "", app: AppOptions(name: "Shop"),
            link: PageLink(email: "", proof: .nothing))
        let wrong = PageProblem(ServiceError(.invalidCredential), in: .english)
        let failed = view.document(.form(token: "t", problem: wrong)).text
        let sentence = ErrorCode.invalidCredential.sentence(in: .english)
        #expect(failed.contains("<p>\(sentence)</p>") && !failed.contains("href=\"#"))
        #expect(MarkupCheck.problem(in: failed) == nil, "\(failed)")
    }

    @Test(
        "an account without a password is not asked for one, but sent to the app",
        arguments: Page.allCases.filter(\.mayNeedSession))
    func withoutPassword(page: Page) async throws {
        try await PagesFixture.run { fixture in
            let uri = PagesFixture.redirectURI.utf8.map { "%" + String($0, radix: 16) }.joined()
            let open = try await fixture.open(page, "token=phone&continue=\(uri)")
            #expect(open.response.status == 200)
            #expect(open.response.text.contains(Self.account))
            #expect(!open.response.text.contains("<form"))
            let sentence = PageTexts(page, in: .english, isFormal: false)[.sessionNeeded]
                .replacing("{{app}}", with: PagesGateway.appName)
            let parts: [HTML] = [
                "<p class=\"muted\">\(sentence)</p>",
                "<a class=\"button\" href=\"\(PagesFixture.redirectURI)\">",
            ]
            for part in parts { #expect(open.response.text.contains(part.text)) }
            #expect(fixture.gateway.calls.isEmpty)
        }
    }

    @Test("a password that is needed after all is asked for")
    func neededLater() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.changeEmail, "token=known")
            #expect(!open.response.text.contains("type=\"password\""))
            let failed = try await fixture.post(open, "form=\(open.formToken)&password=needed", [:])
            #expect(failed.status == 422)
            #expect(failed.text.contains("type=\"password\""))
            let again = OpenPage(
                page: .changeEmail, cookie: failed.cookie ?? "", response: failed)
            #expect(try await fixture.submit(again, "right").status == 200)
        }
    }

    @Test("a new password is asked for in any case")
    func otherPasswords() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.resetPassword, "token=known")
            #expect(open.response.text.contains("type=\"password\""))
        }
    }

    @Test(
        "password managers see whose password it is, and it is not sent",
        arguments: [Page.verifyEmail, .changeEmail, .resetPassword])
    func userName(page: Page) async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(page)
            let field: HTML = """
                <input type="text" autocomplete="username" value="\(PagesGateway.email)" hidden>
                """
            #expect(open.response.text.contains(field.text))
        }
    }

    @Test("if nothing can be known of a link, the page says what is wrong, and has its form")
    func broken() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.verifyEmail, "token=broken")
            #expect(open.response.status == 500)
            #expect(
                open.response.text.contains(ErrorCode.internalError.sentence(in: .english)))
            #expect(open.response.text.contains("type=\"password\""))
            #expect(try await fixture.submit(open, "right").status == 200)
        }
    }

    @Test("an address is no markup")
    func hostile() {
        let view = PageView(
            .verifyEmail, theme: .standard,
            texts: PageTexts(.verifyEmail, in: .english, isFormal: false), assets: "",
            app: AppOptions(name: "Shop"),
            link: PageLink(email: "\"><script>@example.org", proof: .password))
        let text = view.document(.form(token: "t")).text
        #expect(MarkupCheck.problem(in: text) == nil, "\(text)")
        #expect(!text.contains("<script"))
    }
}
