import HTTPTypes
import JSON
import ServiceRuntime
import Testing

@testable import WebService

@Suite("RFC 6749 §5.2: errors of the OAuth endpoints")
struct OAuthErrorTests {
    @Test(
        "an error of the gateway has its status and code",
        arguments: [
            (ErrorCode.unauthenticated, "invalid_client", 401),
            (.permissionDenied, "unauthorized_client", 403),
            (.unavailable, "temporarily_unavailable", 503),
            (.resourceExhausted, "temporarily_unavailable", 429),
            (.internalError, "server_error", 500),
            (.invalidArgument, "invalid_request", 400),
        ])
    func mapped(code: ErrorCode, error: String, status: Int) {
        let mapped = OAuthError(ServiceError(code))
        #expect(mapped.code == error)
        #expect(mapped.status.code == status)
    }

    @Test("the time to wait is in whole seconds, rounded up")
    func retryAfter() {
        let error = ServiceError(.resourceExhausted, retryAfter: .milliseconds(1_001))
        #expect(OAuthError(error).retryAfterSeconds == 2)
    }

    @Test("the description names the fields at fault in the client's terms, with what is wrong")
    func fields() {
        var error = ServiceError(.unauthenticated, fields: ["x-postern-app"])
        #expect(OAuthError(error).reason == "rpc/unauthenticated, client_assertion or client_id")
        error.violations = [
            .init(field: "x-postern-app", sentence: "It is no token."),
            .init(field: "application-token", rule: "audience", sentence: ""),
        ]
        #expect(
            OAuthError(error).reason
                == "rpc/unauthenticated, client_assertion or client_id: It is no token., "
                + "application-token: audience")
    }

    @Test("a missing client is 401, everything else of the request 400")
    func ofRequest() {
        #expect(OAuthError("invalid_client", "x").status.code == 401)
        #expect(OAuthError("invalid_request", "x").status.code == 400)
        #expect(OAuthError("invalid_request", "x").document["error"] == .string("invalid_request"))
    }

    @Test(
        "only a token in compact form has claims",
        arguments: [
            ("e30.eyJzdWIiOiJhIn0.c2ln", true), ("e30.eyJzdWIiOiJhIn0", false), ("", false),
            ("rt_abc", false), ("a.b.c", false),
        ])
    func claims(token: String, isToken: Bool) {
        #expect((TokenPayload.claims(of: token) != nil) == isToken)
    }
}
