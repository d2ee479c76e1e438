import Messages
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import WebService

@Suite("G-32: pages for everyone begin with the ways in", .timeLimit(.minutes(1)))
struct WaysPageTests {
    /// With codes to phones, unless a test says else.
    private func run(
        phones: Bool = true, providers: Bool = false,
        _ body: @escaping @Sendable (PagesFixture) async throws -> Void
    ) async throws {
        try await PagesFixture.run { fixture in
            fixture.gateway.account.withLock { account in
                if phones { account.phoneOptions = .init(allCountries: true) }
                if providers { account.providers = [.init(name: "google")] }
            }
            try await body(fixture)
        }
    }

    private func send(
        _ form: String, on open: OpenPage, in fixture: PagesFixture
    ) async throws -> OpenPage {
        let answer = try await fixture.post(open, "form=\(open.formToken)&\(form)", [:])
        if answer.fields["content-type"] == "text/html; charset=utf-8" {
            #expect(MarkupCheck.problem(in: answer.text) == nil, "\(answer.text)")
        }
        return OpenPage(
            page: open.page, cookie: answer.cookie ?? open.cookie, response: answer)
    }

    /// Follows the redirect after a sign-in.
    private func arrive(_ entered: OpenPage, in fixture: PagesFixture) async throws -> OpenPage {
        #expect(entered.response.status == 303)
        #expect(entered.response.fields["location"] == entered.page.path)
        let response = try await fixture.get(entered.page.path, cookie: entered.cookie)
        #expect(MarkupCheck.problem(in: response.text) == nil, "\(response.text)")
        return OpenPage(
            page: entered.page, cookie: response.cookie ?? entered.cookie, response: response)
    }

    /// Signs in by a code.
    private func byPhone(
        _ page: Page, _ query: String = "lang=en", number: String = "%2B4915123456701",
        code: String = "123456", in fixture: PagesFixture
    ) async throws -> OpenPage {
        let open = try await fixture.open(page, query)
        let form = try await send("way=phone", on: open, in: fixture)
        #expect(form.response.text.contains("autocomplete=\"tel\""))
        let sent = try await send("phone_number=\(number)", on: form, in: fixture)
        #expect(sent.response.status == 200)
        #expect(sent.response.text.contains("autocomplete=\"one-time-code\""))
        return try await send("code=\(code)", on: sent, in: fixture)
    }

    @Test("a page offers what the installation has, and no other way")
    func offers() async throws {
        for (phones, providers) in [(false, false), (true, false), (true, true)] {
            try await run(phones: phones, providers: providers) { fixture in
                for page in [Page.deleteAccount, .yourData] {
                    let text = try await fixture.open(page, "lang=en").response.text
                    let ways = text.matches(of: /name="way" value="([a-z]+)"/).map { String($0.1) }
                    let password = page == .deleteAccount ? ["password"] : []
                    #expect(ways == password + (phones ? ["phone"] : []))
                    #expect(text.contains("Do you sign in with Google") == providers)
                }
            }
        }
    }

    @Test(
        "a person with a phone number only deletes the account: the code, twice asked, signed out")
    func deletion() async throws {
        try await run { fixture in
            let first = try await arrive(byPhone(.deleteAccount, in: fixture), in: fixture)
            #expect(first.response.text.contains("<li>All &lt;of it&gt; is gone.</li>"))
            let asked = try await fixture.press(nil, on: first)
            let question = OpenPage(
                page: .deleteAccount, cookie: asked.cookie ?? first.cookie, response: asked)
            #expect(question.confirmation == "confirmed")
            let done = try await fixture.press("now", on: question)
            #expect(done.status == 200 && done.text.contains("Your account is being deleted"))
            let calls = fixture.gateway.calls
            #expect(
                calls.map(\.method) == [
                    "RequestSignInCode", "SignInWithPhoneCode", "PreviewDeletion",
                    "PreviewDeletion", "RequestDeletion", "SignOut",
                ])
            #expect(calls[1].token == "pcr_1 +4915123456701" && calls[1].input == "123456")
            #expect(calls[1].context["brief"] == "true")
            for call in calls[2...] {
                #expect(call.context["authorization"] == "Bearer access-1", "\(call.method)")
            }
        }
    }

    @Test("by address and password the deletion is in a session too; who keeps it is signed out")
    func password() async throws {
        try await run { fixture in
            let open = try await fixture.open(.deleteAccount, "lang=en")
            let form = try await send("way=password", on: open, in: fixture)
            #expect(form.response.text.contains("autocomplete=\"current-password\""))
            let wrong = try await send(
                "email=ada%40example.org&password=wrong", on: form, in: fixture)
            #expect(wrong.response.status == 422)
            #expect(wrong.response.text.contains("value=\"ada@example.org\""))
            let first = try await arrive(
                send("email=ada%40example.org&password=right", on: wrong, in: fixture),
                in: fixture)
            let kept = try await fixture.press("keep", on: first)
            #expect(kept.text.contains("stays as it is"))
            #expect(fixture.gateway.calls.last?.method == "SignOut")
            let later = try await fixture.get("/delete-account", cookie: kept.cookie)
            #expect(!later.text.contains("All &lt;of it&gt;"))
        }
    }

    @Test("X-02: a number without an account, or a wrong code, opens nothing, and makes nothing")
    func withoutAccount() async throws {
        try await run { fixture in
            for page in [Page.deleteAccount, .yourData] {
                let unknown = try await byPhone(page, number: "%2B4915123456799", in: fixture)
                let wrong = try await byPhone(page, code: "000000", in: fixture)
                for failed in [unknown, wrong] {
                    #expect(failed.response.status == 422)
                    #expect(failed.response.text.contains("<a href=\"#code\">"))
                    let again = try await fixture.get(page.path, cookie: failed.cookie)
                    #expect(again.text.contains("autocomplete=\"one-time-code\""))
                }
            }
            let methods = Set(fixture.gateway.calls.map(\.method))
            #expect(methods == ["RequestSignInCode", "SignInWithPhoneCode"])
        }
    }

    @Test("a text that is no number is said beside its field")
    func noNumber() async throws {
        try await run { fixture in
            let open = try await fixture.open(.yourData, "lang=en")
            let form = try await send("way=phone", on: open, in: fixture)
            let failed = try await send("phone_number=0151", on: form, in: fixture)
            #expect(failed.response.status == 422)
            #expect(failed.response.text.contains("<a href=\"#phone_number\">"))
            #expect(failed.response.text.contains("value=\"0151\""))
            let sent = try await send("phone_number=%2B4915123456701", on: failed, in: fixture)
            let again = try await send("send=phone", on: sent, in: fixture)
            #expect(again.response.text.contains("autocomplete=\"one-time-code\""))
            #expect(
                fixture.gateway.calls.map(\.method)
                    == Array(repeating: "RequestSignInCode", count: 3))
        }
    }

    @Test("a person with a phone number only orders the archive, and fetches it")
    func archive() async throws {
        try await run { fixture in
            fixture.gateway.account.withLock { $0.archive = nil }
            let empty = try await arrive(byPhone(.yourData, in: fixture), in: fixture)
            #expect(empty.response.text.contains("There is no archive yet"))
            let ordered = try await send("act=order", on: empty, in: fixture)
            #expect(ordered.response.text.contains("is being prepared"))
            fixture.gateway.account.withLock { $0.archive = PagesGateway.readyArchive }
            let response = try await fixture.get("/your-data", cookie: ordered.cookie)
            let ready = OpenPage(
                page: .yourData, cookie: response.cookie ?? ordered.cookie, response: response)
            #expect(ready.response.text.contains("Your archive is ready"))
            let fetched = try await send("act=fetch", on: ready, in: fixture)
            #expect(fetched.response.status == 200)
            #expect(fetched.response.body == PagesGateway.archive)
            let left = try await send("act=sign-out", on: ready, in: fixture)
            #expect(left.response.text.contains("autocomplete=\"tel\""))
            #expect(fixture.gateway.calls.last?.method == "SignOut")
        }
    }

    @Test("a proof that has become too old asks for another sign-in")
    func stale() async throws {
        try await run { fixture in
            let ready = try await arrive(byPhone(.yourData, in: fixture), in: fixture)
            fixture.gateway.account.withLock { $0.needsProof = true }
            let stale = try await send("act=fetch", on: ready, in: fixture)
            #expect(stale.response.status == 422)
            let sentence = ErrorCode.requiresRecentLogin.sentence(in: .english)
            #expect(stale.response.text.contains(sentence))
            #expect(stale.response.text.contains("autocomplete=\"one-time-code\"") == false)
        }
    }

    @Test("who has a provider only comes by the app's link: it needs no sign-in, and serves once")
    func appLink() async throws {
        try await run(phones: false, providers: true) { fixture in
            let open = try await fixture.open(.yourData, "token=known")
            #expect(open.response.text.contains("Your archive is ready"))
            #expect(!open.response.text.contains("sign-out"), "there is no session")
            let fetched = try await send("act=fetch", on: open, in: fixture)
            #expect(fetched.response.body == PagesGateway.archive)
            let calls = fixture.gateway.calls
            #expect(
                calls.map(\.method) == ["GetDataExport", "GetDataExport", "FetchDataExport"])
            #expect(calls.allSatisfy { $0.context["authorization"] == nil })
            #expect(calls.allSatisfy { $0.token == "known" })
        }
    }

    @Test("G-21: with a mailed link, an account without a password gets the archive by a code")
    func mailedWithoutPassword() async throws {
        try await run { fixture in
            let fetched = try await byPhone(.yourData, "token=phone", in: fixture)
            #expect(fetched.response.status == 200)
            #expect(fetched.response.body == PagesGateway.archive)
            #expect(try await eventually { fixture.gateway.calls.last?.method == "SignOut" })
            let fetch = fixture.gateway.calls.first { $0.method == "FetchDataExport" }
            #expect(fetch?.token == "phone")
            #expect(fetch?.context["authorization"] == "Bearer access-1")
        }
    }

    @Test("F-03: with a mailed link the archive is sent after the second proof")
    func mailedWithFactor() async throws {
        try await run { fixture in
            let open = try await fixture.open(.yourData)
            let asked = try await send(
                "email=ada%40example.org&password=factor", on: open, in: fixture)
            #expect(asked.response.text.contains("<h1>One more step</h1>"))
            let sent = try await send("kind=totp_code&code=123456", on: asked, in: fixture)
            #expect(sent.response.body == PagesGateway.archive)
            #expect(try await eventually { fixture.gateway.calls.last?.method == "SignOut" })
        }
    }

    @Test("a sign-in that is sent twice shows the consequences, and not the last question")
    func twice() async throws {
        try await run { fixture in
            let open = try await fixture.open(.deleteAccount, "lang=en")
            let body = "email=ada%40example.org&password=right"
            let entered = try await send(body, on: open, in: fixture)
            #expect(entered.response.status == 303)
            let later = OpenPage(
                page: .deleteAccount, cookie: entered.cookie, response: open.response)
            let again = try await send(body, on: later, in: fixture)
            #expect(again.response.text.contains("All &lt;of it&gt; is gone."))
            #expect(again.confirmation.isEmpty)
        }
    }

    /// Attack: a page of another site leads to a link while a session is open.
    @Test("a link ends the visit's session on the page")
    func replaced() async throws {
        try await run { fixture in
            let ready = try await arrive(byPhone(.yourData, in: fixture), in: fixture)
            let moved = try await fixture.get("/your-data?token=good", cookie: ready.cookie)
            let page = try await fixture.get("/your-data", cookie: moved.cookie)
            #expect(page.text.contains("type=\"password\""))
            #expect(!page.text.contains("Your archive is ready"))
        }
    }
}
