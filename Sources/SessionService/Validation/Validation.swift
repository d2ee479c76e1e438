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
/// of the answer cannot change is kept with the verified token (`CachedToken`); that the token's key
/// is in force, the time and the end of its session are looked at each time. One lock is taken,
/// that of the known tokens.
final class Validation: Sendable {
    private let accessTokens: AccessTokens
    private let ended: RevokedSessions
    private let confirmations: Confirmations
    private let activity: Activity
    private let time: any Time
    private let clock: ClockHold

    init(parts: SessionParts) {
        accessTokens = parts.accessTokens
        ended = parts.ended
        confirmations = parts.confirmations
        activity = parts.activity
        time = parts.time
        clock = parts.clock
    }

    /// The answer, for who is in this process.
    func run(
        _ request: SessionV1.ValidateRequest
    ) throws(ServiceError) -> SessionV1.ValidateResponse {
        try good(request.accessToken)?.answer ?? SessionV1.ValidateResponse()
    }

    /// The same as it goes to the wire.
    func encoded(
        _ request: SessionV1.ValidateRequest
    ) throws(ServiceError) -> Encoded<SessionV1.ValidateResponse> {
        try good(request.accessToken)?.encoded ?? Self.notGood
    }

    private static let notGood = Encoded(SessionV1.ValidateResponse())

    private func good(_ token: String) throws(ServiceError) -> CachedToken? {
        try clock.requireAnswering()
        let now = time.now()
        guard let known = accessTokens.known(token), now < known.token.expiresAt,
            !ended.includes(known)
        else { return nil }
        // The token is good: what follows from its use stands here.
        if known.isToBeNoted(at: now) {
            confirmations.note(known.token, at: now)
            activity.mark(known.token.session, at: now)
            known.noted(at: now)
        }
        return known
    }
}
