import Messages
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import WebService

@Suite("G-36: pages where passwords are switched off", .timeLimit(.minutes(1)))
struct SwitchedOffPageTests {
    private static let texts = PageTexts(.resetPassword, in: .english, isFormal: false)

    @Test(
        "a page for passwords says that there are none, and calls nothing",
        arguments: Page.allCases.filter(\.needsPasswords))
    func pages(page: Page) async throws {
        try await PagesFixture.run { fixture in
            fixture.gateway.account.withLock { $0.hasPasswords = false }
            let open = try await fixture.open(page, page.needsLink ? "token=good" : "lang=en")
            #expect(open.response.status == 200)
            #expect(open.response.text.contains("<h1>\(Self.texts[.offTitle])</h1>"))
            #expect(!open.response.text.contains("<form"))
            #expect(fixture.gateway.calls.isEmpty)
        }
    }

    @Test("without passkeys there is no way into /security")
    func security() async throws {
        try await PagesFixture.run { fixture in
            fixture.gateway.account.withLock { $0.hasPasswords = false }
            let open = try await fixture.open(.security, "lang=en")
            #expect(open.response.text.contains("<h1>\(Self.texts[.offTitle])</h1>"))
            #expect(!open.response.text.contains("type=\"password\""))
        }
    }

    @Test("a page without a link that works leads to no page for passwords")
    func links() {
        let view = PageView(
            .verifyEmail, theme: .standard,
            texts: PageTexts(.verifyEmail, in: .english, isFormal: false), assets: "",
            app: AppOptions(name: "Shop", takesPasswords: false), link: .unknown)
        #expect(!view.document(.unusable).text.contains("correct-email"))
    }
}
