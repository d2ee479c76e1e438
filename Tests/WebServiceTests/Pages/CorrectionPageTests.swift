import ServiceRuntime
import TestSupport
import Testing

@testable import WebService

@Suite("The page that corrects a mistyped address", .timeLimit(.minutes(1)))
struct CorrectionPageTests {
    private func post(
        _ open: OpenPage, password: String = "right", to new: String = "ada%40example.org",
        in fixture: PagesFixture
    ) async throws -> HTTP1Response {
        let body =
            "form=\(open.formToken)&email=%20ada%40exmaple.org+&password=\(password)"
            + "&new_email=\(new)+"
        return try await fixture.post(open, body, [:])
    }

    @Test("G-02: the page of a link that does not work leads to it")
    func offered() async throws {
        try await PagesFixture.run { fixture in
            for query in ["lang=de", "token=used&lang=de"] {
                let unusable = try await fixture.open(.verifyEmail, query)
                #expect(unusable.response.text.contains("href=\"/correct-email?lang=de\""))
            }
            let usable = try await fixture.open(.verifyEmail)
            #expect(!usable.response.text.contains("/correct-email"))
        }
    }

    @Test("G-02: it asks for both addresses and the password, and makes one call")
    func corrects() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.correctEmail, "lang=en")
            let texts = PageTexts(.correctEmail, in: .english, isFormal: false)
            for (field, label, autocomplete) in [
                ("email", PageTexts.Sentence.emailLabel, "username"),
                ("password", .label, "current-password"), ("new_email", .newEmailLabel, "email"),
            ] {
                #expect(
                    open.response.text.contains(
                        "<label for=\"\(field)\">\(texts[label])</label>"))
                #expect(open.response.text.contains(" autocomplete=\"\(autocomplete)\""))
            }
            // A reload repeats the same call.
            for _ in 0..<2 {
                let done = try await post(open, in: fixture)
                #expect(done.status == 200)
                #expect(done.text.contains("role=\"status\"") && !done.text.contains("<form"))
            }
            let calls = fixture.gateway.calls
            #expect(calls.count == 2 && calls[0] == calls[1])
            #expect(calls[0].method == "CorrectEmail" && calls[0].input == "right")
            #expect(calls[0].token == "ada@exmaple.org ada@example.org", "without spaces")
            #expect(calls[0].context["authorization"] == nil)
        }
    }

    @Test("G-02: after an error both addresses are there, at the field at fault, and no password")
    func failed() async throws {
        try await PagesFixture.run { fixture in
            var open = try await fixture.open(.correctEmail, "lang=en")
            var keys: Set<String?> = []
            for (password, new, field) in [
                ("wrong", "ada%40example.org", "password"),
                ("right", "taken%40example.org", "new_email"), ("right", "none", "new_email"),
            ] {
                let failed = try await post(open, password: password, to: new, in: fixture)
                #expect(failed.status == 422)
                #expect(failed.text.contains("value=\"ada@exmaple.org\""))
                #expect(failed.text.contains("value=\"\(new.replacing("%40", with: "@"))\""))
                #expect(failed.text.contains("href=\"#\(field)\""), "\(field)")
                #expect(!failed.text.contains("value=\"\(password)\""))
                open = OpenPage(
                    page: .correctEmail, cookie: failed.cookie ?? "", response: failed)
                keys.insert(fixture.gateway.calls.last?.context["idempotency-key"])
            }
            #expect(try await post(open, in: fixture).status == 200)
            #expect(keys.count == 3)
        }
    }

    @Test("G-02: a form that was open too long keeps the address, and a limit is said")
    func others() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.correctEmail, "lang=en")
            let often = try await post(open, password: "often", in: fixture)
            #expect(often.status == 429 && often.fields["retry-after"] == "2")
            let body = "form=\(open.formToken)&email=ada%40exmaple.org&password=right"
            let expired = try await fixture.post(open, body, ["cookie": nil])
            #expect(expired.status == 400)
            #expect(expired.text.contains("value=\"ada@exmaple.org\""))
            #expect(fixture.gateway.calls.count == 1)
        }
    }
}
