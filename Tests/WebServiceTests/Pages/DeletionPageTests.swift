import ServiceRuntime
import Testing

@testable import WebService

@Suite("G-19: the page that deletes an account")
struct DeletionPageTests {
    private func next(_ response: HTTP1Response, _ open: OpenPage) -> OpenPage {
        OpenPage(
            page: .deleteAccount, cookie: response.cookie ?? open.cookie, response: response)
    }

    @Test(
        "an account is deleted after the consequences and one more question",
        arguments: [("now", "Your account is being deleted"), ("later", "will be deleted")])
    func twice(choice: String, title: String) async throws {
        try await PagesFixture.run { fixture in
            let first = try await fixture.open(.deleteAccount, "token=good")
            #expect(first.response.status == 200)
            #expect(first.response.text.contains("<li>All &lt;of it&gt; is gone.</li>"))
            #expect(first.confirmation.isEmpty)
            let asked = try await fixture.press(nil, on: first)
            #expect(asked.status == 200 && asked.text.contains("value=\"now\""))
            let question = next(asked, first)
            #expect(question.confirmation == "confirmed")
            let done = try await fixture.press(choice, on: question)
            #expect(done.status == 200 && done.text.contains(title), "\(done.text)")
            let date = PagesGateway.due.moment(in: .english)
            #expect(done.text.contains(">\(date)</time>") == (choice == "later"))
            #expect(!done.text.contains("<form"))
            let calls = fixture.gateway.calls
            #expect(
                calls.map(\.method) == ["PreviewDeletion", "PreviewDeletion", "RequestDeletion"])
            #expect(calls.allSatisfy { $0.token == "good" })
            #expect(calls.last?.context["client-address"] == "127.0.0.1")
            #expect(calls.last?.context["authorization"] == nil)
        }
    }

    @Test("the first button keeps the account, and makes no call")
    func kept() async throws {
        try await PagesFixture.run { fixture in
            let first = try await fixture.open(.deleteAccount, "token=good")
            let question = next(try await fixture.press(nil, on: first), first)
            for open in [first, question] {
                let buttons = open.response.text.split(separator: "<button").dropFirst()
                #expect(buttons.first?.contains("name=\"choice\" value=\"keep\"") == true)
                let kept = try await fixture.press("keep", on: open)
                #expect(kept.status == 200 && kept.text.contains("stays as it is"))
                #expect(!kept.text.contains("<form"))
            }
            #expect(Set(fixture.gateway.calls.map(\.method)) == ["PreviewDeletion"])
        }
    }

    @Test("the question says when a deletion would begin; of one that waits, when it does")
    func date() async throws {
        try await PagesFixture.run { fixture in
            for token in ["good", "waiting"] {
                let first = try await fixture.open(.deleteAccount, "token=\(token)")
                let asked = try await fixture.press(nil, on: first).text
                let hint = try #require(asked.split(separator: "id=\"later\">").last)
                #expect(hint.hasPrefix("The deletion begins on <time datetime=\""))
                #expect(
                    asked.contains(PagesGateway.due.moment(in: .english)) == (token == "waiting"))
            }
        }
    }

    @Test("without the question's confirmation nothing is deleted, and the page begins again")
    func unconfirmed() async throws {
        try await PagesFixture.run { fixture in
            let first = try await fixture.open(.deleteAccount, "token=good")
            // The last button is pressed on the first page.
            let refused = try await fixture.press("now", on: first)
            #expect(refused.status == 422, "\(refused.text)")
            #expect(
                refused.text.contains(ErrorCode.invalidConfirmation.sentence(in: .english)))
            #expect(refused.text.contains("All &lt;of it&gt; is gone."))
            let asked = try await fixture.press(nil, on: next(refused, first))
            #expect(asked.text.contains("value=\"now\""))
        }
    }

    @Test("while there is an export the only choice is to wait")
    func exported() async throws {
        try await PagesFixture.run { fixture in
            let first = try await fixture.open(.deleteAccount, "token=exported")
            let asked = try await fixture.press(nil, on: first)
            #expect(asked.text.contains("value=\"later\""))
            #expect(!asked.text.contains("value=\"now\""))
        }
    }

    @Test("a choice that no button has deletes nothing", arguments: ["Later", "never"])
    func unknown(choice: String) async throws {
        try await PagesFixture.run { fixture in
            let first = try await fixture.open(.deleteAccount, "token=good")
            let question = next(try await fixture.press(nil, on: first), first)
            let refused = try await fixture.press(choice, on: question)
            #expect(refused.status == 422, "\(refused.text)")
            #expect(!fixture.gateway.calls.map(\.method).contains("RequestDeletion"))
        }
    }

    @Test("a link that does not work leads to the request of another")
    func used() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.deleteAccount, "token=used")
            #expect(open.response.status == 400 && open.formToken.isEmpty)
            #expect(open.response.text.contains("href=\"/delete-account?lang=en\""))
            let again = try await fixture.get("/delete-account", cookie: open.cookie)
            #expect(again.text.contains("name=\"email\""), "the token is gone")
        }
    }

    @Test("the account is kept by a POST of the mailed link's page, not by opening it")
    func keep() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.keepAccount, "token=good&lang=de")
            #expect(fixture.gateway.calls.isEmpty)
            let done = try await fixture.submit(open, "")
            #expect(done.status == 200 && done.text.contains("Dein Konto bleibt erhalten"))
            #expect(fixture.gateway.calls.map(\.method) == ["CancelDeletion"])
        }
    }
}
