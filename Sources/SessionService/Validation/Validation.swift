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
///
/// Every call of every signed-in user may ask here. So what it takes is put together once, and what
/// of the answer cannot change is kept with the verified token (`KnownToken`); that the token's key
/// is in force, the time and the end of its session are looked at each time.
final class Validation: Sendable {
    private let accessTokens: AccessTokens
    private let ended: EndedSessions
    private let confirmations: Confirmations
    private let activity: Activity
    private let time: any Time

    init(parts: SessionParts) {
        accessTokens = parts.accessTokens
        ended = parts.ended
        confirmations = parts.confirmations
        activity = parts.activity
        time = parts.time
    }

    func run(_ request: SessionV1.ValidateRequest) -> SessionV1.ValidateResponse {
        let now = time.now()
        guard let known = accessTokens.known(request.accessToken),
            now < known.token.expiresAt, !ended.contains(known.token.session)
        else { return SessionV1.ValidateResponse() }
        // The token is good: what follows from its use stands here.
        confirmations.note(known.token, at: now)
        activity.mark(known.token.session, at: now)
        return known.answer
    }
}
