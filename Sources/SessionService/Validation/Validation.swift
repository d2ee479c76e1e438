import Contracts
import Messages
import ServiceRuntime

/// Says whether an access token is good now, from memory alone and without waiting (S-07):
///
///     ours (key, type, issuer, audience)   not expired   session not ended   good
///     yes                                  yes           yes                 yes
///     anything else                                                          no
///
/// There is no leeway: the clock that stamped the token is the one that reads it.
struct Validation: Sendable {
    let parts: SessionParts

    func run(_ request: SessionV1.ValidateRequest) -> SessionV1.ValidateResponse {
        let now = parts.time.now()
        guard let token = parts.accessTokens.read(request.accessToken),
            now < token.expiresAt, !parts.ended.contains(token.session)
        else { return SessionV1.ValidateResponse() }
        // The token is good: what follows from its use stands here.
        parts.confirmations.note(token, at: now)
        parts.activity.mark(token.session, at: now)
        return SessionV1.ValidateResponse(
            valid: true, sessionId: token.session.text, accountId: token.account.text,
            authTimeMs: token.authenticatedAt.milliseconds, amr: token.methods,
            expiresAtMs: token.expiresAt.milliseconds)
    }
}
