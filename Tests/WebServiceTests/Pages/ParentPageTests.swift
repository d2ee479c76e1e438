import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Testing

@testable import WebService

@Suite("G-23: the page that asks a parent")
struct ParentPageTests {
    @Test("the link shows who asks, and a scanner that opens it gives no answer")
    func question() async throws {
        try await PagesFixture.run { fixture in
            for _ in 0..<3 {
                let open = try await fixture.open(.parent)
                #expect(open.response.status == 200)
                #expect(open.response.text.contains("&lt;Kid&gt; has signed up"))
                #expect(open.response.text.contains("value=\"give\""))
                #expect(open.response.text.contains("value=\"refuse\""))
                #expect(!open.response.text.contains("<input id="))
            }
            let calls = fixture.gateway.calls
            #expect(!calls.isEmpty)
            #expect(calls.allSatisfy { $0.method == "AnswerParentalConsent" && $0.input == "" })
            #expect(calls.allSatisfy { $0.context["idempotency-key"] == nil })
        }
    }

    @Test("an answer is one call with the link's token", arguments: ParentAnswer.allCases)
    func answer(answer: ParentAnswer) async throws {
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.parent)
            let done = try await fixture.answer(answer.rawValue, on: open)
            #expect(done.status == 200, "\(done.text)")
            #expect(done.text.contains("role=\"status\""))
            #expect(!done.text.contains("<form"))
            let isRefused = done.text.contains("The account is being deleted")
            #expect(isRefused == (answer == .refuse))
            let call = try #require(fixture.gateway.calls.last)
            #expect(call.token == "good" && call.input == answer.rawValue)
            #expect(call.context["idempotency-key"]?.count == 64)
        }
    }

    @Test("a parent is told the date until which to answer, and that of a withdrawal")
    func dates() async throws {
        let date = ">\(PagesGateway.due.moment(in: .english))</time>"
        try await PagesFixture.run { fixture in
            let open = try await fixture.open(.parent)
            #expect(open.response.text.contains("Without an answer"))
            #expect(open.response.text.contains(date))
            let refused = try await fixture.answer("refuse", on: open)
            #expect(!refused.text.contains("<time"), "it is deleted at once")
            let given = try await fixture.open(.parent, "token=given")
            #expect(given.response.text.contains(date))
            let withdrawn = try await fixture.answer("refuse", on: given)
            #expect(withdrawn.text.contains("Your consent is withdrawn"))
            #expect(withdrawn.text.contains(date))
        }
    }

    @Test("a form without an answer, or with another, asks again and changes nothing")
    func noAnswer() async throws {
        try await PagesFixture.run { fixture in
            for input in ["", "yes"] {
                let open = try await fixture.open(.parent)
                let failed = try await fixture.answer(input, on: open)
                #expect(failed.status == 422, "\(failed.text)")
                #expect(failed.text.contains("role=\"alert\""))
                #expect(failed.text.contains("value=\"give\""))
            }
            #expect(fixture.gateway.calls.allSatisfy { $0.input == "" })
        }
    }

    @Test("a link that does not work says so, at the GET and at the POST")
    func unusable() async throws {
        try await PagesFixture.run { fixture in
            let opened = try await fixture.open(.parent, "token=used")
            #expect(opened.response.status == 400)
            #expect(opened.response.text.contains("<title>Error: "))
            #expect(!opened.response.text.contains("<form"))
        }
    }

    @Test("who has consented can withdraw, and nothing else", arguments: Language.allCases)
    func given(language: Language) throws {
        let text = try #require(
            PagePreview.document(.parent, .given, language, theme: .standard, isFormal: false)
        ).text
        #expect(text.contains("value=\"refuse\"") && !text.contains("value=\"give\""))
        #expect(!text.contains("{{"))
    }

    @Test("a child without a name is one all the same", arguments: Language.allCases)
    func unnamed(language: Language) {
        let view = PageView(
            .parent, theme: .standard, texts: PageTexts(.parent, in: language, isFormal: true),
            assets: "", app: AppOptions(name: "Shop"), link: .unknown)
        let text = view.document(
            .parent(token: "t", childName: "", isGiven: false, deletionAt: nil)
        ).text
        #expect(MarkupCheck.problem(in: text) == nil, "\(text)")
        #expect(!text.contains("{{"))
    }
}

extension PagesGateway {
    /// What a parent is asked and answers.
    var consents: ServiceMethods {
        ServiceMethods(
            ConsentsDescription.service,
            [
                .async(ConsentsDescription.answerParentalConsent) {
                    (request: GatewayV1.AnswerParentalConsentRequest, context)
                        -> GatewayV1.AnswerParentalConsentResponse in
                    let answers: [GatewayV1.ParentalAnswer: String] = [
                        .give: "give", .refuse: "refuse",
                    ]
                    try self.receive(
                        "AnswerParentalConsent", Self.text(request.token),
                        SecretBytes(answers[request.answer] ?? ""), context)
                    let states: [GatewayV1.ParentalAnswer: GatewayV1.ParentalConsentState] = [
                        .give: .given, .refuse: .refused,
                    ]
                    let isWithdrawal = Self.text(request.token) == "given"
                    let state = states[request.answer] ?? (isWithdrawal ? .given : .requested)
                    return GatewayV1.AnswerParentalConsentResponse(
                        state: state, childName: "<Kid>",
                        deletionAtMs: state == .refused && !isWithdrawal
                            ? 0 : Self.due.milliseconds)
                }
            ])
    }
}
