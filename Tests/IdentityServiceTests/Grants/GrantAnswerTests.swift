import Cryptography
import Outbound
import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("How responses about codes and grants are read")
struct GrantAnswerTests {
    enum Meaning: String { case done, refused, later }

    private static let errors: [(status: Int, body: String, meaning: Meaning)] = [
        (400, #"{"error":"invalid_grant"}"#, .refused),
        (400, #"{"error":"invalid_request"}"#, .refused),
        (400, #"{"error":"invalid_scope"}"#, .refused),
        (400, #"{"error":"unsupported_grant_type"}"#, .refused),
        (400, #"{"error":"invalid_token"}"#, .refused),
        (400, #"{"error":"redirect_uri_mismatch"}"#, .later),
        (400, #"{"error":"invalid_client"}"#, .later),
        (401, #"{"error":"invalid_client"}"#, .later),
        (400, #"{"error":"unauthorized_client"}"#, .later),
        (400, #"{"error":"something new"}"#, .later), (400, "", .later), (400, "<html>", .later),
        // A proxy's 502 is not Apple's answer, whatever its body says.
        (502, #"{"error":"invalid_grant"}"#, .later),
        (302, "", .later), (429, "", .later), (500, "", .later), (503, "", .later),
    ]

    @Test("G-05: a code is exchanged, refused for good, or retried", arguments: errors.indices)
    func exchange(row: Int) {
        let (status, body, meaning) = Self.errors[row]
        let answer = GrantAnswer.exchange(Self.answered(status, body), client: "app")
        switch answer {
        case .granted, .withoutToken: Issue.record("granted")
        case .refused: #expect(meaning == .refused)
        case .later: #expect(meaning == .later)
        }
    }

    @Test("G-05: a grant is revoked, unknown, or retried", arguments: errors.indices)
    func revocation(row: Int) {
        let (status, body, meaning) = Self.errors[row]
        switch GrantAnswer.revocation(Self.answered(status, body)) {
        case .done: #expect(meaning == .done)
        case .refused: #expect(meaning == .refused)
        case .later: #expect(meaning == .later)
        }
        #expect(GrantAnswer.revocation(Self.answered(200, "")) == .done)
        #expect(GrantAnswer.revocation(.failed(.timedOut)) == .later("timed-out"))
    }

    @Test(
        "G-05: an incomplete response, or one for another app, is refused",
        arguments: [
            "", "[]", "{}", #"{"refresh_token":"r"}"#, #"{"refresh_token":"","id_token":"TOKEN"}"#,
            #"{"refresh_token":7,"id_token":"TOKEN"}"#, #"{"id_token":"OTHER"}"#,
            #"{"refresh_token":"r","id_token":"a.b"}"#,
            #"{"refresh_token":"r","id_token":"a.!.c"}"#,
            #"{"refresh_token":"r","id_token":"OTHER"}"#,
            #"{"refresh_token":"r","id_token":"EMPTY"}"#,
        ])
    func notWhole(body: String) {
        func token(_ claims: String) -> String { "e30.\(Base64URL.encode(claims.utf8)).c2ln" }
        let body = Self.replaced(
            body,
            [
                "TOKEN": token(#"{"sub":"s","aud":"app"}"#),
                "OTHER": token(#"{"sub":"s","aud":"another"}"#),
                "EMPTY": token(#"{"sub":"","aud":"app"}"#),
            ])
        guard case .refused = GrantAnswer.exchange(Self.answered(200, body), client: "app") else {
            Issue.record("taken: \(body)")
            return
        }
    }

    @Test("G-04, G-05: a complete response gives a grant with its subject")
    func whole() throws {
        let claims = Base64URL.encode(#"{"sub":"s","aud":"app"}"#.utf8)
        let body = #"{"refresh_token":"r","id_token":"e30.\#(claims).c2ln"}"#
        guard
            case .granted(let grant) = GrantAnswer.exchange(Self.answered(200, body), client: "app")
        else {
            Issue.record("not taken")
            return
        }
        #expect(grant.subject == "s")
        #expect(grant.refreshToken == SecretBytes(copying: "r".utf8))
    }

    @Test("G-04: Google gives a refresh token once, so a response without one is no failure")
    func withoutToken() {
        let claims = Base64URL.encode(#"{"sub":"s","aud":"app"}"#.utf8)
        let body = #"{"access_token":"a","id_token":"e30.\#(claims).c2ln"}"#
        guard case .withoutToken = GrantAnswer.exchange(Self.answered(200, body), client: "app")
        else {
            Issue.record("another answer")
            return
        }
    }

    @Test("only a provider's own failures open the circuit breaker")
    func health() {
        for status in [200, 302, 400, 401, 403, 404] {
            #expect(GrantAnswer.isHealthy(Self.answered(status, "")))
        }
        for status in [429, 500, 503] { #expect(!GrantAnswer.isHealthy(Self.answered(status, ""))) }
        #expect(!GrantAnswer.isHealthy(.failed(.unreachable)))
    }

    private static func answered(_ status: Int, _ body: String) -> HTTPOutcome {
        .answered(HTTPResponse(status: status, fields: HTTPFields(), body: Array(body.utf8)))
    }

    private static func replaced(_ text: String, _ words: [String: String]) -> String {
        words.reduce(text) { text, word in
            text.split(separator: word.key, omittingEmptySubsequences: false)
                .joined(separator: word.value)
        }
    }
}
