import JSON
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import WebService

@Suite("F-01: passkeys on the page of an account's security", .timeLimit(.minutes(1)))
struct PasskeyPageTests {
    /// Runs `body` where passkeys work on the page.
    private static func run(
        _ body: @Sendable (PagesFixture) async throws -> Void
    ) async throws {
        try await PagesFixture.run { fixture in
            fixture.gateway.takePasskeys(at: "http://localhost:\(fixture.client.port)")
            try await body(fixture)
        }
    }

    private func send(
        _ form: String, on open: OpenPage, in fixture: PagesFixture
    ) async throws -> OpenPage {
        let answer = try await fixture.post(open, "form=\(open.formToken)&\(form)", [:])
        #expect(MarkupCheck.problem(in: answer.text) == nil, "\(answer.text)")
        return OpenPage(
            page: open.page, cookie: answer.cookie ?? open.cookie, response: answer)
    }

    /// What the script would send.
    private static func credential(_ id: String) -> String {
        "credential=%7B%22id%22%3A%22\(id)%22%2C%22type%22%3A%22public-key%22%2C"
            + "%22response%22%3A%7B%22clientDataJSON%22%3A%22Zm9v%22%7D%2C"
            + "%22clientExtensionResults%22%3A%7B%7D%7D"
    }

    /// The list, after a sign-in by password.
    private func signedIn(_ fixture: PagesFixture) async throws -> OpenPage {
        let open = try await fixture.open(.security, "lang=en")
        let moved = try await send(
            "email=ada%40example.org&password=right", on: open, in: fixture)
        let list = try await fixture.get("/security", cookie: moved.cookie)
        return OpenPage(page: .security, cookie: moved.cookie, response: list)
    }

    /// The value of an attribute of a page, without its escapes.
    private func attribute(_ name: String, of open: OpenPage) -> String? {
        let parts = open.response.text.split(separator: " \(name)=\"", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        return String(parts[1].prefix { $0 != "\"" }).replacing("&quot;", with: "\"")
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&amp;", with: "&")
    }

    @Test("the script is on this page alone, and the policy allows that one")
    func policy() async throws {
        try await Self.run { fixture in
            for page in Page.allCases {
                let open = try await fixture.open(page, page.needsLink ? "token=good" : "lang=en")
                let policy = try #require(open.response.fields["content-security-policy"])
                let isHere = page == .security
                #expect(policy.hasSuffix("; script-src 'self'") == isHere, "\(page)")
                #expect(open.response.text.contains("<script src=") == isHere, "\(page)")
                #expect(!policy.contains("unsafe") && policy.hasPrefix("default-src 'none'; "))
            }
            let form = try await fixture.get("/security")
            #expect(form.text.contains("<script src=\"/pages/passkeys.js\" defer></script>"))
        }
    }

    @Test("where passkeys are off, or work at another origin, the page has no script")
    func off() async throws {
        for origin in [nil, "https://example.org"] {
            try await PagesFixture.run { fixture in
                if let origin { fixture.gateway.takePasskeys(at: origin) }
                fixture.gateway.account.withLock { $0.passkeys = [PagesGateway.former] }
                let list = try await signedIn(fixture)
                let form = try await fixture.get("/security")
                #expect(!form.text.contains("<script") && !form.text.contains("data-passkey"))
                #expect(form.text.contains("autocomplete=\"username\""))
                let text = list.response.text
                #expect(!text.contains("value=\"passkey-begin\""))
                #expect(text.contains("id=\"passkeys\"") == (origin != nil))
                #expect(text.contains("It no longer works here.") == (origin != nil))
            }
        }
    }

    @Test("the sign-in form has the options of a prompt, for a button and for suggestions")
    func form() async throws {
        try await Self.run { fixture in
            let open = try await fixture.open(.security, "lang=en")
            let text = open.response.text
            #expect(MarkupCheck.problem(in: text) == nil, "\(text)")
            #expect(text.contains("autocomplete=\"username webauthn\""))
            #expect(text.contains(" data-passkey=\"get\"") && text.contains(" data-suggest=\"\""))
            #expect(text.contains(" hidden>\n<input type=\"hidden\" name=\"form\""))
            let options = try #require(attribute("data-options", of: open))
            let object = try #require(JSONReader.object(in: Array(options.utf8)))
            #expect(object["challenge"]?.string == "challenge<\"1\">")
            #expect(object["rpId"]?.string == "localhost")
            #expect(object["allowCredentials"] == nil)
            let seconds = try #require(attribute("data-seconds", of: open).flatMap { Int($0) })
            #expect((560...570).contains(seconds), "before the challenge ends")
            #expect(fixture.gateway.calls.isEmpty, "nothing that changes")
        }
    }

    @Test("what the browser signed signs in, without an address, with a brief session")
    func signIn() async throws {
        try await Self.run { fixture in
            let open = try await fixture.open(.security, "lang=en")
            let moved = try await send(Self.credential("credential-1"), on: open, in: fixture)
            #expect(moved.response.status == 303)
            let call = try #require(fixture.gateway.calls.first)
            #expect(call.method == "SignInWithPasskey" && call.input == "credential-1")
            #expect(call.token == "Zm9v" && call.context["brief"] == "true")
            #expect(call.context["idempotency-key"]?.count == 64)
            let list = try await fixture.get("/security", cookie: moved.cookie)
            #expect(list.text.contains("ada<wbr>@example<wbr>.org</span>"))
            #expect(list.text.contains("id=\"passkeys\""))
        }
    }

    @Test(
        "a refused one is said, with another challenge; text that no browser sends is refused here",
        arguments: ["000000", "unknown", ""])
    func refused(id: String) async throws {
        try await Self.run { fixture in
            let open = try await fixture.open(.security, "lang=en")
            let form = id.isEmpty ? "credential=%5B1%5D" : Self.credential(id)
            let failed = try await send(form, on: open, in: fixture)
            #expect(failed.response.status == 422)
            let code = id == "unknown" ? ErrorCode.unknownPasskey : .invalidPasskey
            #expect(failed.response.text.contains(code.sentence(in: .english)))
            #expect(failed.response.text.contains("data-passkey=\"get\""))
            #expect(fixture.gateway.calls.isEmpty == id.isEmpty)
            // The browser offers it no longer.
            let signal = attribute("data-signal", of: failed)
            #expect(signal == (id == "unknown" ? "signalUnknownCredential" : nil))
            guard id == "unknown" else { return }
            #expect(
                attribute("data-about", of: failed)
                    == "{\"rpId\":\"localhost\",\"credentialId\":\"unknown\"}")
        }
    }

    @Test("the list has the passkeys as text, and tells the browser which there are")
    func list() async throws {
        try await Self.run { fixture in
            fixture.gateway.account.withLock {
                $0.passkeys = [PagesGateway.bitwarden, PagesGateway.former]
            }
            let list = try await signedIn(fixture)
            let text = list.response.text
            #expect(MarkupCheck.problem(in: text) == nil, "\(text)")
            #expect(text.contains("<strong>&lt;Bitwarden&gt;</strong>"))
            #expect(text.contains("<strong>Passkey</strong>"))
            // Dates have spaces that do not break.
            let plain = text.replacing("\u{A0}", with: " ")
            #expect(plain.contains("last used 6 December 2026") && plain.contains("never used"))
            #expect(text.contains("It no longer works here."))
            let about = try #require(attribute("data-about", of: list))
            let object = try #require(JSONReader.object(in: Array(about.utf8)))
            #expect(attribute("data-signal", of: list) == "signalAllAcceptedCredentials")
            #expect(object["userId"]?.string == "handle-1")
            #expect(object["allAcceptedCredentialIds"]?.strings == ["credential-1"])
        }
    }

    @Test("one is added by a prompt; a refused one shows the form again, with another challenge")
    func add() async throws {
        try await Self.run { fixture in
            let list = try await signedIn(fixture)
            let begun = try await send("act=passkey-begin", on: list, in: fixture)
            #expect(begun.response.text.contains(" data-passkey=\"create\""))
            #expect(begun.response.text.contains("data-no-prompt"), "for browsers without one")
            #expect(!begun.response.text.contains("data-suggest"))
            let options = try #require(attribute("data-options", of: begun))
            let parameters = JSONReader.object(in: Array(options.utf8))?["pubKeyCredParams"]
            #expect(parameters?.array?.first?.object?["alg"]?.integer == -7)
            let form = "act=passkey-add&name=Phone"
            let refused = try await send(
                "\(form)&\(Self.credential("000000"))", on: begun, in: fixture)
            #expect(refused.response.status == 422)
            #expect(refused.response.text.contains("value=\"Phone\""))
            #expect(refused.response.text.contains(" data-passkey=\"create\""))
            let added = try await send(
                "\(form)&\(Self.credential("credential-1"))", on: refused, in: fixture)
            #expect(added.response.text.contains("The passkey is added."))
            #expect(added.response.text.contains("&lt;Bitwarden&gt;"))
            let call = try #require(fixture.gateway.calls.last { $0.method == "AddPasskey" })
            #expect(call.input == "credential-1 Phone" && call.token == "Bearer access-1")
        }
    }

    @Test("one is renamed, and removed after a question; another account's is unknown")
    func change() async throws {
        try await Self.run { fixture in
            fixture.gateway.account.withLock { $0.passkeys = [PagesGateway.bitwarden] }
            let list = try await signedIn(fixture)
            let asked = try await send("rename=pky_1", on: list, in: fixture)
            #expect(asked.response.text.contains("<h1>Rename “&lt;Bitwarden&gt;”</h1>"))
            #expect(asked.response.text.contains("name=\"act\" value=\"passkey-rename\""))
            let renamed = try await send(
                "act=passkey-rename&passkey=pky_1&name=Old+phone", on: asked, in: fixture)
            #expect(renamed.response.text.contains("The passkey has its new name."))
            let question = try await send("discard=pky_1", on: renamed, in: fixture)
            #expect(question.response.text.contains("<h1>Remove “&lt;Bitwarden&gt;”?</h1>"))
            let isAskedOnly = !fixture.gateway.calls.contains { $0.method == "RemovePasskey" }
            #expect(isAskedOnly)
            let removed = try await send(
                "act=passkey-remove&passkey=pky_1", on: question, in: fixture)
            #expect(removed.response.text.contains("The passkey is removed."))
            #expect(removed.response.text.contains("None yet."))
            let unknown = try await send("discard=pky_9", on: removed, in: fixture)
            #expect(unknown.response.status == 422)
            let inputs = fixture.gateway.calls.filter { $0.method.hasPrefix("Re") }.map(\.input)
            #expect(inputs == ["pky_1 Old phone", "pky_1"])
        }
    }

    @Test("G-13: a passkey proves that a change is the owner's; the form of before comes again")
    func proof() async throws {
        try await Self.run { fixture in
            fixture.gateway.account.withLock { $0.needsProof = true }
            let list = try await signedIn(fixture)
            let asked = try await send("act=passkey-begin", on: list, in: fixture)
            #expect(asked.hidden("kind") == "passkey")
            #expect(asked.response.text.contains(" data-passkey=\"get\""))
            #expect(asked.response.text.contains("name=\"other\" value=\"recovery_code\""))
            let begun = try #require(
                fixture.gateway.calls.last { $0.method == "BeginPasskeyProof" })
            #expect(begun.token == "Bearer access-1" && begun.input.isEmpty)
            let ways = try #require(asked.hidden("ways")).replacing(" ", with: "+")
            let form = "kind=passkey&ways=\(ways)&act=passkey-begin"
            let wrong = try await send(
                "\(form)&credential=no", on: asked, in: fixture)
            #expect(wrong.response.status == 422 && wrong.hidden("kind") == "passkey")
            let proved = try await send(
                "\(form)&\(Self.credential("credential-1"))", on: wrong, in: fixture)
            #expect(proved.response.text.contains(" data-passkey=\"create\""))
            #expect(fixture.gateway.calls.last?.token == "Bearer access-3")
        }
    }

    @Test("F-03: a passkey is a second proof here, with the device of the first one")
    func secondProof() async throws {
        try await Self.run { fixture in
            let open = try await fixture.open(.security, "lang=en")
            let asked = try await send(
                "email=ada%40example.org&password=key", on: open, in: fixture)
            #expect(asked.hidden("kind") == "passkey")
            let calls = fixture.gateway.calls
            let begun = try #require(calls.last { $0.method == "BeginPasskeyProof" })
            #expect(begun.input == "challenge-1")
            #expect(begun.context["device"] == calls.first?.context["device"])
            let done = try await send(
                "kind=passkey&\(Self.credential("credential-1"))", on: asked, in: fixture)
            #expect(done.response.status == 303)
            let call = try #require(
                fixture.gateway.calls.last { $0.method == "CompleteSignIn" })
            #expect(call.input == "passkey credential-1")
        }
    }
}
