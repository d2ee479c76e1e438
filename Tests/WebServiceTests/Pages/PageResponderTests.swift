import ServiceRuntime
import Testing

@testable import WebService

@Suite("Pages behind the links in mails")
struct PageResponderTests {
    private static let methods: [Page: String] = [
        .verifyEmail: "VerifyEmail", .changeEmail: "ConfirmEmailChange",
        .resetPassword: "ResetPassword", .forgotPassword: "RequestPasswordReset",
        .deleteAccount: "RequestDeletionLink", .keepAccount: "CancelDeletion",
        .notMe: "DisownSignIn", .keepSecondFactors: "KeepSecondFactors",
        .correctEmail: "CorrectEmail",
    ]

    @Test(
        "a link moves its token into a cookie, and the page has a form",
        arguments: Page.allCases.filter(\.needsLink))
    func link(page: Page) async throws {
        try await PagesFixture.run { fixture in
            let moved = try await fixture.get("\(page.path)?utm_source=mail&token=good")
            #expect(moved.status == 303)
            #expect(moved.fields["location"] == page.path)
            let cookie = try #require(moved.fields["set-cookie"])
            #expect(cookie.hasSuffix("; HttpOnly; SameSite=Lax; Path=/; Max-Age=600"))
            #expect(!cookie.contains("good"))
            let open = try await fixture.open(page)
            #expect(open.response.status == 200)
            #expect(!open.formToken.isEmpty)
            // Who asks a parent is read; nothing is answered.
            #expect(fixture.gateway.calls.allSatisfy { page == .parent && $0.input == "" })
        }
    }

    @Test("a scanner's HEAD and its GETs use no link", arguments: ["HEAD", "GET"])
    func scanner(method: String) async throws {
        try await PagesFixture.run { fixture in
            for page in Page.allCases {
                for _ in 0..<3 {
                    let moved = try await fixture.get("\(page.path)?token=good", method: method)
                    #expect(moved.status == 303)
                    let clean = try await fixture.get(
                        page.path, cookie: moved.cookie, method: method)
                    #expect(clean.status == 200)
                    #expect(clean.body.isEmpty == (method == "HEAD"))
                    #expect(try await fixture.get(page.path, method: method).status == 200)
                }
            }
            // What a deletion would do, and who asks a parent, is read; nothing is done.
            #expect(
                Set(fixture.gateway.calls.map(\.method))
                    == ["PreviewDeletion", "AnswerParentalConsent"])
            #expect(fixture.gateway.calls.allSatisfy { $0.input == "" })
        }
    }

    @Test(
        "a form makes one call of the gateway, for the person",
        arguments: Page.allCases.filter { $0 != .parent && (!$0.signsIn || $0 == .deleteAccount) })
    func submit(page: Page) async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(page, page.needsLink ? "token=good" : "lang=en")
            let done = try await fixture.submit(open, "Correct & 7%Horse+é")
            #expect(done.status == 200, "\(done.text)")
            #expect(done.text.contains("role=\"status\""))
            #expect(!done.text.contains("<form"))
            let call = try #require(fixture.gateway.calls.first)
            #expect(call.method == Self.methods[page])
            #expect(call.token == (page.needsLink ? "good" : ""))
            #expect(call.input == (page.field == nil ? "" : "Correct & 7%Horse+é"))
            #expect(call.context["client-address"] == "127.0.0.1")
            #expect(call.context["accept-language"] == "en")
            #expect(call.context["idempotency-key"]?.count == 64)
            #expect(call.context["authorization"] == nil)
            // A reload repeats the same call.
            #expect(try await fixture.submit(open, "Correct & 7%Horse+é").status == 200)
            let again = try #require(fixture.gateway.calls.last { $0.method == call.method })
            #expect(again == call)
        }
    }

    @Test(
        "spaces around an address are left out: keyboards of phones add them",
        arguments: [Page.forgotPassword, .deleteAccount])
    func spaces(page: Page) async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(page, "lang=en")
            for entered in ["ada@example.org ", " \u{a0}ada@example.org\u{3000} "] {
                #expect(try await fixture.submit(open, entered).status == 200)
                #expect(fixture.gateway.calls.last?.input == "ada@example.org")
            }
            let password = try await fixture.submit(try await fixture.open(.verifyEmail), " a ")
            #expect(password.status == 200)
            #expect(fixture.gateway.calls.last?.input == " a ", "a password is what was typed")
        }
    }

    @Test("an error is said in the person's language, and the form can be sent again")
    func failure() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.verifyEmail, language: "de-AT,en;q=0.5")
            #expect(open.response.text.contains("<html lang=\"de\">"))
            #expect(open.response.fields["content-language"] == "de")
            let failed = try await fixture.submit(open, "wrong", ["accept-language": "de"])
            #expect(failed.status == 422)
            #expect(failed.text.contains("<title>Fehler: "))
            #expect(failed.text.contains(ErrorCode.invalidCredential.sentence(in: Voice(.german))))
            #expect(!failed.text.contains("value=\"wrong\""))
            let second = OpenPage(
                page: .verifyEmail, cookie: failed.cookie ?? "", response: failed)
            #expect(second.formToken != open.formToken)
            #expect(try await fixture.submit(second, "right").status == 200)
            let keys = fixture.gateway.calls.compactMap { $0.context["idempotency-key"] }
            #expect(Set(keys).count == 2)
        }
    }

    @Test(
        "after each wrong password the page asks for another one",
        arguments: [Page.verifyEmail, .changeEmail])
    func wrongPasswords(page: Page) async throws {
        try await PagesFixture.run { fixture in
            var open = try await fixture.open(page)
            for _ in 1...4 {
                let failed = try await fixture.submit(open, "wrong")
                #expect(failed.status == 422)
                #expect(failed.text.contains("<form") && failed.text.contains("role=\"alert\""))
                open = OpenPage(page: page, cookie: failed.cookie ?? "", response: failed)
            }
            #expect(try await fixture.submit(open, "right").status == 200)
            #expect(fixture.gateway.calls.map(\.token) == Array(repeating: "good", count: 5))
            // The limit counts each of them, so none is taken for a repeat of the one before.
            let keys = fixture.gateway.calls.compactMap { $0.context["idempotency-key"] }
            #expect(Set(keys).count == 5)
        }
    }

    @Test("a limit says how long to wait, and a link that was used says what to do")
    func refusals() async throws {
        try await PagesFixture.run { fixture in
            let often = try await fixture.submit(
                try await fixture.open(.forgotPassword, "lang=en"), "often")
            #expect(often.status == 429)
            #expect(often.fields["retry-after"] == "2")
            #expect(often.text.contains("value=\"often\""), "the address stays in the form")
            let used = try await fixture.submit(
                try await fixture.open(.resetPassword, "token=late"), "Correct7Horse")
            #expect(used.status == 400)
            #expect(used.text.contains("<title>Error: "))
            #expect(used.text.contains("href=\"/forgot-password?lang=en\""))
            let later = try await fixture.get("/reset-password", cookie: used.cookie)
            #expect(!later.text.contains("<form"), "the token is gone")
        }
    }

    @Test(
        "a form that is not of this service, or without its cookie or token, makes no call",
        arguments: [
            (["sec-fetch-site": "cross-site"], 403), (["sec-fetch-site": "same-site"], 403),
            (["sec-fetch-site": nil], 403),
            (["sec-fetch-site": nil, "origin": "https://evil.example"], 403),
            (["cookie": nil], 400), (["cookie": "postern-verify-email=AAAA"], 400),
            (["content-type": "text/plain"], 400),
        ] as [([String: String?], Int)])
    func foreign(changed: [String: String?], status: Int) async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.verifyEmail)
            #expect(try await fixture.submit(open, "right", changed).status == status)
            // A form of another visit.
            let other = try await fixture.open(.verifyEmail, "token=other")
            let mixed = OpenPage(
                page: .verifyEmail, cookie: other.cookie, response: open.response)
            #expect(try await fixture.submit(mixed, "right").status == 400)
            #expect(fixture.gateway.calls.isEmpty)
        }
    }

    @Test("a form that is refused says what the person can do, in the person's language")
    func foreignText() async throws {
        try await PagesFixture.run { fixture in
            for page in [Page.verifyEmail, .forgotPassword] {
                let open = try await fixture.open(page, language: "de")
                let refused = try await fixture.submit(
                    open, "right", ["sec-fetch-site": nil, "accept-language": "de"])
                #expect(refused.status == 403)
                #expect(refused.fields["content-type"] == "text/html; charset=utf-8")
                let texts = PageTexts(page, in: .german, isFormal: false)
                #expect(refused.text.contains(texts[.foreign]))
                let next = texts[page.needsLink ? .foreignLink : .foreignPage]
                #expect(refused.text.contains(next))
                #expect(!refused.text.contains("<form"))
            }
        }
    }

    @Test(
        "a form that cannot be read is answered with what can be wrong, not with its media type",
        arguments: ["&form=twice", "&password=%zz"])
    func malformed(more: String) async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.verifyEmail)
            let refused = try await fixture.post(open, "form=\(open.formToken)\(more)", [:])
            #expect(refused.status == 400)
            #expect(refused.text == FormParameters.malformed + "\n")
        }
    }

    @Test("a browser without Sec-Fetch-Site is taken at its origin")
    func olderBrowser() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.verifyEmail)
            let own = "http://localhost:\(fixture.client.port)"
            let done = try await fixture.submit(
                open, "right", ["sec-fetch-site": nil, "origin": own])
            #expect(done.status == 200)
        }
    }

    @Test("a page that was open too long keeps the address and gives a new form")
    func expired() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.forgotPassword, "lang=en")
            let expired = try await fixture.submit(open, "ada", ["cookie": nil])
            #expect(expired.status == 400)
            #expect(expired.text.contains("value=\"ada\""))
            let second = OpenPage(
                page: .forgotPassword, cookie: expired.cookie ?? "", response: expired)
            #expect(try await fixture.submit(second, "ada").status == 200)
            #expect(fixture.gateway.calls.count == 1)
        }
    }

    @Test("a result leads to a redirect URI of an app, and to no other")
    func continueURI() async throws {
        try await PagesFixture.run { fixture in
            for (uri, isOne) in [
                (PagesFixture.redirectURI, true), (PagesFixture.redirectURI + "&x=1", false),
                ("https://evil.example/", false), ("javascript:alert(1)", false),
                ("//evil.example", false),
            ] {
                let encoded = uri.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                let open = try await fixture.open(
                    .verifyEmail, "token=good&continue=\(encoded.joined())")
                let done = try await fixture.submit(open, "right")
                #expect(done.text.contains("class=\"button\"") == isOne, "\(uri)")
                let link: HTML = "href=\"\(uri)\""
                #expect(done.text.contains(link.text) == isOne, "\(uri)")
            }
        }
    }

    @Test("the chosen language stays, and so does the link")
    func language() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.verifyEmail)
            let moved = try await fixture.get("/verify-email?lang=ja", cookie: open.cookie)
            #expect(moved.status == 303)
            let clean = try await fixture.get("/verify-email", cookie: moved.cookie)
            #expect(clean.text.contains("<html lang=\"ja\">"))
            let page = OpenPage(
                page: .verifyEmail, cookie: clean.cookie ?? "", response: clean)
            #expect(try await fixture.submit(page, "right").status == 200)
            #expect(fixture.gateway.calls.first?.context["accept-language"] == "ja")
            #expect(fixture.gateway.calls.first?.token == "good")
        }
    }

    @Test("a page speaks the language of the link, not the browser's")
    func languageOfLink() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(
                .resetPassword, "token=late&lang=de", language: "fr")
            #expect(open.response.text.contains("<html lang=\"de\">"))
            #expect(open.response.fields["content-language"] == "de")
            for changed in [[:], ["cookie": nil]] as [[String: String?]] {
                let fields = changed.merging(["accept-language": "fr"]) { old, _ in old }
                let unusable = try await fixture.submit(open, "Correct7Horse", fields)
                #expect(unusable.status == 400)
                #expect(unusable.text.contains("<html lang=\"de\">"), "\(changed)")
                #expect(unusable.text.contains("href=\"/forgot-password?lang=de\""))
            }
            #expect(fixture.gateway.calls.first?.context["accept-language"] == "de")
        }
    }

    @Test(
        "a language that the pages do not have leaves the choice to the browser",
        arguments: ["it", "x-de", "deu", ""])
    func unknownLanguage(tag: String) async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(
                .forgotPassword, "continue=none&lang=\(tag)", language: "fr")
            #expect(open.response.text.contains("<html lang=\"fr\">"))
        }
    }

    @Test("every response forbids scripts, frames, caches and referrers")
    func fields() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.verifyEmail)
            for response in [
                try await fixture.get("/verify-email?token=good"), open.response,
                try await fixture.submit(open, "wrong"), try await fixture.submit(open, "right"),
                try await fixture.get("/reset-password"),
            ] {
                #expect(
                    response.fields["content-security-policy"]
                        == "default-src 'none'; style-src 'self'; img-src 'self'; "
                        + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
                #expect(response.fields["referrer-policy"] == "no-referrer")
                #expect(response.fields["cache-control"] == "no-store")
                #expect(response.fields["x-content-type-options"] == "nosniff")
                #expect(MarkupCheck.problem(in: response.text) == nil)
            }
        }
    }

    @Test("password managers find the page that leads to a new password")
    func changePassword() async throws {
        try await PagesFixture.run { fixture in
            let found = try await fixture.get("/.well-known/change-password")
            #expect(found.status == 302)
            #expect(found.fields["location"] == Page.forgotPassword.path)
        }
    }

    @Test("a large or broken form is not read")
    func others() async throws {
        try await PagesFixture.run { fixture in
            let put = try await fixture.get("/verify-email", method: "PUT")
            #expect(put.status == 405)
            let open = try await fixture.open(.verifyEmail)
            let large = try await fixture.submit(open, String(repeating: "a", count: 20_000))
            #expect(large.status == 413)
            #expect(fixture.gateway.calls.isEmpty)
        }
    }

    @Test("without a link, or with one that cannot be, a page says what to do")
    func noLink() async throws {
        try await PagesFixture.run { fixture in
            for query in ["token=", "token=a%20b", "token=a&token=b", "token=%zz"] {
                let first = try await fixture.get("/verify-email?\(query)")
                let page = try await fixture.get("/verify-email", cookie: first.cookie)
                #expect(page.status == 200)
                #expect(!page.text.contains("<form"), "\(query)")
                #expect(page.text.contains("<title>Error: "))
            }
        }
    }
}
