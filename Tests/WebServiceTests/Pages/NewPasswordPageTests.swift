import ServiceRuntime
import Testing

@testable import WebService

@Suite("The page that sets a new password", .timeLimit(.minutes(1)))
struct NewPasswordPageTests {
    @Test("the rules for a new password are there before it is typed, with their numbers")
    func passwordRules() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.resetPassword, "token=good&lang=fr")
            for rule in [PasswordRule.length, .digit, .common] {
                let line: HTML = "<li>\(rule.requirement(in: Voice(.french), 8...128))</li>"
                #expect(open.response.text.split(separator: line.text).count == 2)
            }
            #expect(open.response.text.contains("de 8 à 128 caractères"))
            #expect(
                open.response.text.contains("aria-describedby=\"password-hint password-rules\""))
            for page in Page.allCases where page != .resetPassword {
                let other = try await fixture.open(page, page.needsLink ? "token=good" : "lang=en")
                #expect(!other.response.text.contains("-rules\""), "\(page)")
            }
        }
    }

    @Test("each rule that a new password breaks is marked, and no rule is said twice")
    func weakPassword() async throws {
        try await PagesFixture.run { fixture in
            let failed = try await fixture.submit(
                try await fixture.open(.resetPassword, "token=good&lang=fr"), "weak")
            #expect(failed.status == 422)
            for rule in [PasswordRule.length, .common] {
                let line: HTML = """
                    <li class="unmet">\(rule.requirement(in: Voice(.french), 8...128)) <strong>
                    """
                #expect(failed.text.split(separator: line.text).count == 2)
                let refusal: HTML = "\(rule.sentence(in: Voice(.french)))"
                #expect(!failed.text.contains(refusal.text))
            }
            let digit: HTML = """
                <li>\(PasswordRule.digit.requirement(in: Voice(.french), 8...128))</li>
                """
            #expect(failed.text.contains(digit.text))
            let sentence: HTML = "\(ErrorCode.weakPassword.sentence(in: Voice(.french)))"
            #expect(failed.text.split(separator: sentence.text).count == 2, "it is said once")
        }
    }

    @Test("without the rules for a new password an error names those that it breaks")
    func unknownRules() {
        let texts = PageTexts(.resetPassword, in: .english, isFormal: false)
        for known in [[], [PasswordRule.digit]] {
            let app = AppOptions(
                name: "Shop",
                passwordRules: known.map { PasswordRequirement(rule: $0, codePoints: 8...128) })
            let view = PageView(
                .resetPassword, theme: .standard, texts: texts, assets: "", app: app,
                link: .unknown)
            let weak = ServiceError.weakPassword([.length, .common], field: "password")
            let text = view.document(.form(token: "t", problem: PageProblem(weak, in: .english)))
                .text
            for rule in [PasswordRule.length, .common] {
                #expect(text.contains(rule.sentence(in: .english)))
            }
            #expect(text.contains("class=\"rules\"") != known.isEmpty)
            #expect(!text.contains("class=\"unmet\""))
        }
    }

    @Test("a reset that is sent twice succeeds twice, also when its session is signed out already")
    func repeatedReset() async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.resetPassword, "token=repeated")
            #expect(try await fixture.submit(open, "Correct7Horse").status == 200)
            #expect(fixture.gateway.calls.map(\.method) == ["ResetPassword"])
            let other = try await fixture.open(.verifyEmail, "token=repeated")
            #expect(try await fixture.submit(other, "Correct7Horse").status == 422)
        }
    }

    @Test("a reset ends the session that it opens, which no page can hold")
    func resetSignsOut() async throws {
        try await PagesFixture.run { fixture in
            _ = try await fixture.submit(try await fixture.open(.resetPassword), "Correct7Horse")
            #expect(fixture.gateway.calls.map(\.method) == ["ResetPassword", "SignOut"])
            #expect(fixture.gateway.calls.first?.context["brief"] == "true")
            #expect(fixture.gateway.calls.last?.token == "Bearer access-1")
        }
    }
}
