import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import WebService

@Suite("F-03: the page on which people set up a second factor", .timeLimit(.minutes(1)))
struct SecurityPageTests {
    /// The page in a browser, after a response.
    private func page(_ response: HTTP1Response, _ before: OpenPage) -> OpenPage {
        OpenPage(
            page: before.page, cookie: response.cookie ?? before.cookie, response: response)
    }

    /// Sends the form with address and password.
    private func signIn(
        _ open: OpenPage, _ password: String, in fixture: PagesFixture
    ) async throws -> HTTP1Response {
        try await fixture.post(
            open, "form=\(open.formToken)&email=ada%40example.org&password=\(password)", [:])
    }

    /// The list, after a sign-in.
    private func signedIn(_ fixture: PagesFixture) async throws -> OpenPage {
        let open = try await fixture.open(.security, "lang=en")
        let moved = try await signIn(open, "right", in: fixture)
        #expect(moved.status == 303)
        #expect(moved.fields["location"] == "/security")
        let cookie = moved.cookie ?? ""
        let list = try await fixture.get("/security", cookie: cookie)
        #expect(list.status == 200)
        return page(list, OpenPage(page: .security, cookie: cookie, response: moved))
    }

    private func act(
        _ form: String, on open: OpenPage, in fixture: PagesFixture
    ) async throws -> OpenPage {
        let answer = try await fixture.post(open, "form=\(open.formToken)&\(form)", [:])
        #expect(MarkupCheck.problem(in: answer.text) == nil, "\(answer.text)")
        return page(answer, open)
    }

    @Test("it signs in with a brief session, and is open for as long as that is")
    func signIn() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.security, "lang=en")
            #expect(open.response.text.contains("autocomplete=\"username\""))
            #expect(open.response.text.contains("autocomplete=\"current-password\""))
            let moved = try await signIn(open, "right", in: fixture)
            #expect(moved.status == 303)
            let cookie = try #require(moved.fields["set-cookie"])
            let age = try #require(cookie.split(separator: "Max-Age=").last.flatMap { Int($0) })
            #expect((890...900).contains(age))
            #expect(!cookie.contains("access-1"))
            let call = try #require(fixture.gateway.calls.first)
            #expect(call.method == "SignInWithPassword" && call.input == "right")
            #expect(call.context["brief"] == "true")
            #expect(call.context["idempotency-key"]?.count == 64)
            // A double click is one sign-in, and another password is another one.
            _ = try await signIn(open, "right", in: fixture)
            _ = try await signIn(open, "right2", in: fixture)
            let keys = fixture.gateway.calls.compactMap { $0.context["idempotency-key"] }
            #expect(keys.count == 3 && Set(keys).count == 2)
        }
    }

    @Test("a wrong password shows the form again, with the address and without the password")
    func wrongPassword() async throws {
        try await PagesFixture.run { fixture in
            let failed = try await signIn(
                try await fixture.open(.security, "lang=en"), "wrong", in: fixture)
            #expect(failed.status == 422)
            #expect(failed.text.contains("value=\"ada@example.org\" required"))
            #expect(!failed.text.contains("class=\"account\""), "it is not known to be an account")
            #expect(!failed.text.contains("value=\"wrong\""))
        }
    }

    @Test("a form whose page was open too long keeps the address, and never the password")
    func expired() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.security, "lang=en")
            let expired = try await fixture.post(
                open, "form=\(open.formToken)&email=ada&password=Secret7", ["cookie": nil])
            #expect(expired.status == 400)
            #expect(expired.text.contains("value=\"ada\""))
            #expect(!expired.text.contains("Secret7"))
            #expect(fixture.gateway.calls.isEmpty)
        }
    }

    @Test("the list has the factors as text, and no call that changes anything is made for it")
    func list() async throws {
        try await PagesFixture.run { fixture in
            fixture.gateway.account.withLock {
                ($0.factors, $0.codesLeft) = ([PagesGateway.tablet], 2)
            }
            let list = try await signedIn(fixture)
            let text = list.response.text
            #expect(text.contains("<strong>&lt;Tablet&gt;</strong>"))
            #expect(text.contains("<wbr>@example<wbr>.org</span>"))
            #expect(
                text.contains("Codes left: 2") && text.contains("class=\"note warn unprinted\""))
            #expect(text.contains("<form class=\"end\" method=\"post\""))
            #expect(!text.contains("<script") && !text.contains("access-1"))
            #expect(MarkupCheck.problem(in: text) == nil, "\(text)")
            let call = try #require(fixture.gateway.calls.last)
            #expect(call.method == "ListSecondFactors" && call.token == "Bearer access-1")
            // Another language has the same session.
            let moved = try await fixture.get("/security?lang=de", cookie: list.cookie)
            let german = try await fixture.get("/security", cookie: moved.cookie)
            #expect(german.text.contains("<html lang=\"de\">") && german.text.contains("Tablet"))
            #expect(
                Set(fixture.gateway.calls.map(\.method))
                    == ["SignInWithPassword", "ListSecondFactors"])
        }
    }

    @Test("where the operator takes no new factors, there is no button for one")
    func off() {
        for takes in [false, true] {
            let view = PageView(
                .security, theme: .standard,
                texts: PageTexts(.security, in: .english, isFormal: false), assets: "",
                app: AppOptions(name: "Shop", takesSecondFactors: takes), link: .unknown)
            let text = view.document(.security(SecurityPage(token: "t", factors: []))).text
            #expect(text.contains("name=\"act\" value=\"begin\"") == takes)
            #expect(MarkupCheck.problem(in: text) == nil, "\(text)")
        }
    }

    @Test("an app is added by a picture, a secret and a code; the recovery codes are shown once")
    func setUp() async throws {
        try await PagesFixture.run { fixture in
            let list = try await signedIn(fixture)
            let begun = try await act("act=begin", on: list, in: fixture)
            let text = begun.response.text
            #expect(text.contains("<code>JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP</code>"))
            #expect(text.contains("<svg class=\"qr\" role=\"img\" aria-label=\"QR code"))
            #expect(text.contains("This is your first app"))
            #expect(!text.contains("enrollment-1"), "it is sealed")
            let setUp = try #require(begun.hidden("setup"))
            let wrong = try await act(
                "act=confirm&setup=\(setUp)&code=000000&name=Phone", on: begun, in: fixture)
            #expect(wrong.response.status == 422)
            #expect(wrong.response.text.contains("<title>Error: "))
            #expect(wrong.response.text.contains("<a href=\"#code\">"))
            #expect(wrong.response.text.contains("value=\"Phone\""))
            #expect(wrong.response.text.contains("<code>JBSW Y3DP"), "the same secret")
            let again = try #require(wrong.hidden("setup"))
            let form = "act=confirm&setup=\(again)&code=123456&name=Phone"
            let added = try await act(form, on: wrong, in: fixture)
            #expect(added.response.status == 200)
            for code in PagesGateway.codes {
                #expect(added.response.text.contains("<li>\(code)</li>"))
            }
            #expect(added.response.text.contains("role=\"status\""))
            #expect(added.response.text.contains("Recovery codes for ada@example.org"))
            let call = try #require(fixture.gateway.calls.last { $0.method == "ConfirmTOTP" })
            #expect(call.input == "enrollment-1 123456 Phone")
            // The list after it is read with the new token, and has no codes.
            #expect(fixture.gateway.calls.last?.token == "Bearer access-2")
            let later = try await fixture.get("/security", cookie: added.cookie)
            #expect(later.text.contains("&lt;Tablet&gt;") && !later.text.contains("CODE0"))
        }
    }

    @Test("the codes are shown also if the list cannot be read then: it is the only time")
    func codesInAnyCase() async throws {
        try await PagesFixture.run { fixture in
            fixture.gateway.account.withLock { $0.factors = [PagesGateway.tablet] }
            let list = try await signedIn(fixture)
            fixture.gateway.account.withLock {
                ($0.failure, $0.failsAfter) = (.tooManyRequests, 1)
            }
            let made = try await act("act=codes", on: list, in: fixture)
            #expect(made.response.status == 200)
            #expect(made.response.text.contains("<li>CODE9-AAAAA-BBB</li>"))
            #expect(!made.response.text.contains("id=\"apps\""))
            fixture.gateway.account.withLock { $0.failure = nil }
            // A reload sends the form again, and a repeat has no codes.
            let again = try await fixture.post(list, "form=\(list.formToken)&act=codes", [:])
            #expect(again.status == 200 && !again.text.contains("CODE9"))
        }
    }

    @Test("a set-up of another visit, or one that was changed, begins again")
    func foreignSetUp() async throws {
        try await PagesFixture.run { fixture in
            let begun = try await act(
                "act=begin", on: try await signedIn(fixture), in: fixture)
            let other = try await signedIn(fixture)
            let setUp = try #require(begun.hidden("setup"))
            for sealed in [setUp, "AAAA", ""] {
                let refused = try await act(
                    "act=confirm&setup=\(sealed)&code=123456", on: other, in: fixture)
                #expect(refused.response.status == 422, "\(sealed)")
            }
            #expect(!fixture.gateway.calls.contains { $0.method == "ConfirmTOTP" })
        }
    }

    @Test("an app is removed after a question, which says what follows")
    func removal() async throws {
        try await PagesFixture.run { fixture in
            fixture.gateway.account.withLock { $0.factors = [PagesGateway.tablet] }
            let list = try await signedIn(fixture)
            let asked = try await act("ask=fac_1", on: list, in: fixture)
            #expect(asked.response.text.contains("<h1>Remove “&lt;Tablet&gt;”?</h1>"))
            #expect(asked.response.text.contains("It is the last one."))
            #expect(!fixture.gateway.calls.contains { $0.method == "RemoveSecondFactor" })
            let removed = try await act("act=remove&factor=fac_1", on: asked, in: fixture)
            #expect(removed.response.text.contains("The app is removed."))
            #expect(!removed.response.text.contains("Tablet"))
            let unknown = try await act("ask=fac_9", on: removed, in: fixture)
            #expect(unknown.response.status == 422)
        }
    }

    @Test("G-13: a change whose proof is too old asks for one, and is then made")
    func again() async throws {
        try await PagesFixture.run { fixture in
            fixture.gateway.account.withLock {
                ($0.factors, $0.needsProof) = ([PagesGateway.tablet], true)
            }
            let list = try await signedIn(fixture)
            let asked = try await act("act=codes", on: list, in: fixture)
            #expect(asked.response.text.contains("<h1>Confirm that it is you</h1>"))
            #expect(asked.hidden("kind") == "totp_code")
            #expect(asked.hidden("act") == "codes")
            let ways = try #require(asked.hidden("ways"))
            #expect(ways == "totp_code recovery_code" || ways == "recovery_code totp_code")
            let form = "kind=totp_code&ways=\(ways.replacing(" ", with: "+"))&act=codes"
            let other = try await act("\(form)&other=recovery_code", on: asked, in: fixture)
            #expect(other.hidden("kind") == "recovery_code")
            #expect(!fixture.gateway.calls.contains { $0.method == "Reauthenticate" })
            let wrong = try await act("\(form)&code=000000", on: asked, in: fixture)
            #expect(wrong.response.status == 422)
            #expect(wrong.response.text.contains("aria-invalid=\"true\""))
            let made = try await act("\(form)&code=123456", on: wrong, in: fixture)
            #expect(made.response.text.contains("<li>CODE0-AAAAA-BBB</li>"))
            let calls = fixture.gateway.calls.filter { $0.method == "RegenerateRecoveryCodes" }
            #expect(calls.map(\.token) == ["Bearer access-1", "Bearer access-3"])
            // From here on the page has the new token.
            let later = try await act("act=codes", on: made, in: fixture)
            #expect(later.response.status == 200)
            #expect(fixture.gateway.calls.last?.token == "Bearer access-3")
        }
    }

    @Test("a session that has ended leads to the sign-in, with the address and why")
    func ended() async throws {
        try await PagesFixture.run { fixture in
            for code in [ErrorCode.sessionEnded, .invalidAccessToken] {
                let list = try await signedIn(fixture)
                fixture.gateway.account.withLock { $0.failure = code }
                let form = try await act("act=begin", on: list, in: fixture)
                fixture.gateway.account.withLock { $0.failure = nil }
                #expect(form.response.status == 422)
                #expect(form.response.text.contains("value=\"ada@example.org\" required"))
                let sentence: HTML = "\(code.sentence(in: .english))"
                #expect(form.response.text.contains(sentence.text))
                let later = try await fixture.get("/security", cookie: form.cookie)
                #expect(later.text.contains("type=\"password\""))
            }
        }
    }

    @Test("a gateway that does not answer is said, and the session goes on")
    func unavailable() async throws {
        try await PagesFixture.run { fixture in
            let list = try await signedIn(fixture)
            fixture.gateway.account.withLock { $0.failure = .tooManyRequests }
            let failed = try await fixture.get("/security", cookie: list.cookie)
            #expect(failed.status == 429)
            #expect(failed.text.contains("role=\"alert\""))
            #expect(failed.text.contains("<a class=\"button\" href=\"/security?lang=en\">"))
            fixture.gateway.account.withLock { $0.failure = nil }
            let later = try await fixture.get("/security", cookie: failed.cookie)
            #expect(later.status == 200 && later.text.contains("id=\"apps\""))
        }
    }

    @Test("signing out ends the session, and the page forgets the account")
    func signOut() async throws {
        try await PagesFixture.run { fixture in
            let list = try await signedIn(fixture)
            let done = try await act("act=sign-out", on: list, in: fixture)
            #expect(done.response.text.contains("role=\"status\""))
            #expect(!done.response.text.contains("example.org"))
            let call = try #require(fixture.gateway.calls.last)
            #expect(call.method == "SignOut" && call.token == "Bearer access-1")
            let later = try await fixture.get("/security", cookie: done.cookie)
            #expect(later.text.contains("type=\"password\""))
            #expect(!later.text.contains("example.org"))
        }
    }

    @Test("a form of another site, or without its token, changes nothing")
    func foreign() async throws {
        try await PagesFixture.run { fixture in
            fixture.gateway.account.withLock { $0.factors = [PagesGateway.tablet] }
            let list = try await signedIn(fixture)
            let form = "act=remove&factor=fac_1"
            let crossed = try await fixture.post(
                list, "form=\(list.formToken)&\(form)", ["sec-fetch-site": "cross-site"])
            #expect(crossed.status == 403)
            let other = try await signedIn(fixture)
            for token in ["", "AAAA", other.formToken] {
                let refused = try await fixture.post(list, "form=\(token)&\(form)", [:])
                #expect(refused.status == 400, "\(token)")
            }
            #expect(!fixture.gateway.calls.contains { $0.method == "RemoveSecondFactor" })
        }
    }

    @Test("the sign-in that was sent again by a reload shows the list, without another sign-in")
    func reload() async throws {
        try await PagesFixture.run { fixture in
            let list = try await signedIn(fixture)
            let again = try await signIn(list, "right", in: fixture)
            #expect(again.status == 200 && again.text.contains("id=\"apps\""))
            #expect(fixture.gateway.calls.count { $0.method == "SignInWithPassword" } == 1)
        }
    }
}

extension OpenPage {
    /// The value of a hidden field; nil without one.
    func hidden(_ name: String) -> String? {
        let parts = response.text.split(
            separator: "type=\"hidden\" name=\"\(name)\" value=\"", maxSplits: 1)
        return parts.count == 2 ? String(parts[1].prefix { $0 != "\"" }) : nil
    }
}
