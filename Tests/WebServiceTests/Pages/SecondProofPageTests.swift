import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import WebService

@Suite("F-03: pages that sign in ask for the second proof", .timeLimit(.minutes(1)))
struct SecondProofPageTests {
    private static let pages = Page.allCases.filter(\.mayNeedSecondProof)

    /// Opens a page and sends its form; the password says which second proof is needed.
    private func asked(
        _ page: Page, _ password: String = "factor", in fixture: PagesFixture
    ) async throws -> OpenPage {
        let open = try await fixture.open(page, page.needsLink ? "token=good" : "lang=en")
        let email = page.signsIn ? "&email=ada%40example.org" : ""
        return try await send("password=\(password)\(email)", on: open, in: fixture)
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

    @Test(
        "the first kind that a page can take is asked for, the others are offered", arguments: pages
    )
    func form(page: Page) async throws {
        try await PagesFixture.run { fixture in
            let asked = try await asked(page, in: fixture)
            #expect(asked.response.status == 200)
            let text = asked.response.text
            #expect(text.contains("<h1>One more step</h1>"))
            #expect(text.contains("ada<wbr>@example<wbr>.org</span>"), "whose account it is")
            #expect(text.contains("inputmode=\"numeric\""))
            #expect(text.contains("autocomplete=\"one-time-code\""))
            #expect(asked.hidden("kind") == "totp_code")
            let others = text.matches(of: /name="other" value="([a-z_]+)"/).map { String($0.1) }
            #expect(others == ["phone_code", "recovery_code"], "no passkey, which needs a script")
            #expect(text.contains("name=\"again\"") == page.signsIn)
            #expect(!asked.cookie.contains("challenge-1") && !text.contains("challenge-1"))
            // A reload asks for the same, and the link of a reset, which is used up, for nothing.
            let again = try await fixture.get(page.path, cookie: asked.cookie)
            #expect(again.text.contains("<h1>One more step</h1>"))
        }
    }

    @Test("a wrong code is said beside its field, and a right one completes", arguments: pages)
    func complete(page: Page) async throws {
        try await PagesFixture.run { fixture in
            let asked = try await asked(page, in: fixture)
            let wrong = try await send("kind=totp_code&code=000000", on: asked, in: fixture)
            #expect(wrong.response.status == 422)
            #expect(wrong.response.text.contains("<p><a href=\"#code\">Check “Code”</a></p>"))
            #expect(wrong.response.text.contains("aria-invalid=\"true\""))
            #expect(!wrong.response.text.contains("000000"))
            let right = try await send("kind=totp_code&code=123+456", on: wrong, in: fixture)
            let calls = fixture.gateway.calls.filter { $0.method == "CompleteSignIn" }
            #expect(calls.map(\.token) == ["challenge-1", "challenge-1"])
            #expect(calls.map(\.input) == ["totp_code 000000", "totp_code 123 456"])
            #expect(Set(calls.compactMap { $0.context["idempotency-key"] }).count == 2)
            // The device of the first call, and a brief session.
            let first = try #require(fixture.gateway.calls.first { $0.context["device"] != nil })
            #expect(calls.allSatisfy { $0.context["device"] == first.context["device"] })
            #expect(calls.allSatisfy { $0.context["brief"] == "true" })
            switch page {
            case .security, .deleteAccount, .yourData: #expect(right.response.status == 303)
            default:
                #expect(right.response.status == 200)
                #expect(right.response.text.contains("role=\"status\""))
            }
            guard page == .resetPassword else { return }
            #expect(try await eventually { fixture.gateway.calls.last?.method == "SignOut" })
            #expect(fixture.gateway.calls.last?.token == "Bearer access-1")
            // The challenge is forgotten.
            let later = try await fixture.get(page.path, cookie: right.cookie)
            #expect(!later.text.contains("One more step"))
        }
    }

    @Test("a code is sent on request, and then asked for")
    func sent() async throws {
        try await PagesFixture.run { fixture in
            let asked = try await asked(.security, in: fixture)
            let phone = try await send("kind=totp_code&other=phone_code", on: asked, in: fixture)
            #expect(phone.response.text.contains("We can send a code to ••• 0100."))
            #expect(!phone.response.text.contains("id=\"code\""))
            #expect(!fixture.gateway.calls.contains { $0.method == "SendChallengeCode" })
            let sent = try await send("kind=phone_code&send=phone_code", on: phone, in: fixture)
            #expect(sent.response.text.contains("Enter the code that we have sent to ••• 0100."))
            #expect(sent.response.text.contains("id=\"code\""))
            #expect(sent.response.text.contains(">Send another code</button>"))
            let call = try #require(fixture.gateway.calls.last)
            #expect(call.method == "SendChallengeCode" && call.input == "phone")
            let done = try await send("kind=phone_code&code=123456", on: sent, in: fixture)
            #expect(done.response.status == 303)
            #expect(fixture.gateway.calls.last?.input == "phone_code 123456")
        }
    }

    @Test("a recovery code is typed as it was written down")
    func recovery() async throws {
        try await PagesFixture.run { fixture in
            let asked = try await asked(.security, in: fixture)
            let form = try await send("kind=totp_code&other=recovery_code", on: asked, in: fixture)
            #expect(form.response.text.contains("autocapitalize=\"none\""))
            #expect(!form.response.text.contains("inputmode"))
            let done = try await send(
                "kind=recovery_code&code=7k3mq-9xd2v-tr8", on: form, in: fixture)
            #expect(done.response.status == 303)
            #expect(fixture.gateway.calls.last?.input == "recovery_code 7k3mq-9xd2v-tr8")
        }
    }

    @Test("a form that was made for another kind is no attempt")
    func otherKind() async throws {
        try await PagesFixture.run { fixture in
            let asked = try await asked(.security, in: fixture)
            for form in ["kind=phone_code&code=123456", "code=123456", "kind=x", "other=passkey"] {
                let again = try await send(form, on: asked, in: fixture)
                #expect(again.response.status == 200, "\(form)")
                #expect(again.response.text.contains("<h1>One more step</h1>"))
            }
            #expect(!fixture.gateway.calls.contains { $0.method == "CompleteSignIn" })
        }
    }

    @Test("a challenge that is over begins again; after a reset, by another link", arguments: pages)
    func over(page: Page) async throws {
        try await PagesFixture.run { fixture in
            let asked = try await asked(page, in: fixture)
            let over = try await send("kind=totp_code&code=999999", on: asked, in: fixture)
            guard page.signsIn else {
                #expect(over.response.status == 400)
                #expect(over.response.text.contains("href=\"/forgot-password?lang=en\""))
                return
            }
            #expect(over.response.status == 422)
            #expect(
                over.response.text.contains(ErrorCode.invalidChallenge.sentence(in: .english)))
            #expect(over.response.text.contains("value=\"ada@example.org\" required"))
            #expect(over.response.text.contains("type=\"password\""))
        }
    }

    @Test("a person can begin again")
    func beginAgain() async throws {
        try await PagesFixture.run { fixture in
            let asked = try await asked(.security, in: fixture)
            let form = try await send("kind=totp_code&again=1", on: asked, in: fixture)
            #expect(form.response.status == 200)
            #expect(form.response.text.contains("type=\"password\""))
            #expect(!form.response.text.contains("class=\"account\""))
        }
    }

    @Test("what a page cannot take leads to the app", arguments: pages)
    func elsewhere(page: Page) async throws {
        try await PagesFixture.run { fixture in
            let asked = try await asked(page, "key", in: fixture)
            #expect(asked.response.status == 200)
            #expect(asked.response.text.contains("a proof that this page cannot take"))
            #expect(!asked.response.text.contains("<form"))
        }
    }

    @Test("G-11: a reset that is completed twice is done twice")
    func resetTwice() async throws {
        try await PagesFixture.run { fixture in
            let asked = try await asked(.resetPassword, in: fixture)
            for _ in 0..<2 {
                let done = try await send("kind=totp_code&code=123456", on: asked, in: fixture)
                #expect(done.response.text.contains("role=\"status\""))
            }
            let keys = fixture.gateway.calls.filter { $0.method == "CompleteSignIn" }
                .compactMap { $0.context["idempotency-key"] }
            #expect(keys.count == 2 && Set(keys).count == 1)
        }
    }
}
