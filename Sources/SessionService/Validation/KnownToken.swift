import Messages
import ServiceRuntime

/// An access token that was verified, and the answer that it gets while it is good: both are made
/// once, since a token is validated with every call of its owner.
final class KnownToken: Sendable {
    let token: AccessToken
    let answer: SessionV1.ValidateResponse

    init(_ token: AccessToken) {
        self.token = token
        answer = SessionV1.ValidateResponse(
            valid: true, sessionId: token.session.text, accountId: token.account.text,
            authTimeMs: token.authenticatedAt.milliseconds, amr: token.methods,
            expiresAtMs: token.expiresAt.milliseconds)
    }
}
