import Contracts
package import Messages
package import RPC
import ServiceRuntime

extension SessionsHandler {
    /// Validates an access token (`Validation`).
    package func validateAccessToken(
        _ request: SessionV1.ValidateAccessTokenRequest, _ context: CallContext
    ) throws -> SessionV1.ValidateAccessTokenResponse {
        try validation.run(request)
    }

    /// The rpcs of `Sessions` for a server: those of the generated dispatcher, except that
    /// `Validate` returns the response that was encoded when its token was first verified.
    package var methods: ServiceMethods {
        SessionsDispatcher.methods(of: self).replacing(
            .onLoop(SessionsDescription.validateAccessToken) {
                [validation] (request: SessionV1.ValidateAccessTokenRequest, _) in
                try validation.encoded(request)
            })
    }
}

/// Whether an access token is valid now, from memory alone and without waiting (S-07):
///
///     ours (key, type, issuer, audience)   not expired   session not ended   valid
///     yes                                  yes           yes                 yes
///     anything else                                                          no
///
/// There is no leeway: the same clock stamped the token and checks it.
///
/// Every call of every signed-in user may validate here. So the dependencies are collected once,
/// and the constant part of the response is kept with the verified token (`CachedToken`). The key's
/// version, expiry and revocation are checked each time. Only one lock is taken, that of the token
/// cache.
final class Validation: Sendable {
    private let accessTokens: AccessTokens
    private let revoked: RevokedSessions
    private let confirmations: Confirmations
    private let activity: Activity
    private let time: any Time
    private let clock: ClockHold

    init(accessTokens: AccessTokens, memory: SessionMemory, time: any Time, clock: ClockHold) {
        self.accessTokens = accessTokens
        revoked = memory.revoked
        confirmations = memory.confirmations
        activity = memory.activity
        self.time = time
        self.clock = clock
    }

    /// The response, for callers in this process.
    /// - Throws: `rpc/unavailable` while the clock is not trusted.
    func run(
        _ request: SessionV1.ValidateAccessTokenRequest
    ) throws(ServiceError) -> SessionV1.ValidateAccessTokenResponse {
        try good(request.accessToken)?.answer ?? SessionV1.ValidateAccessTokenResponse()
    }

    /// The claims of a token that is valid now; nil for any other.
    /// - Throws: `rpc/unavailable` while the clock is not trusted.
    func token(_ text: String) throws(ServiceError) -> AccessToken? { try good(text)?.token }

    /// The encoded response.
    /// - Throws: `rpc/unavailable` while the clock is not trusted.
    func encoded(
        _ request: SessionV1.ValidateAccessTokenRequest
    ) throws(ServiceError) -> Encoded<SessionV1.ValidateAccessTokenResponse> {
        try good(request.accessToken)?.encoded ?? Self.notGood
    }

    private static let notGood = Encoded(SessionV1.ValidateAccessTokenResponse())

    private func good(_ token: String) throws(ServiceError) -> CachedToken? {
        try clock.requireAnswering()
        let now = time.now()
        guard let known = accessTokens.known(token), now < known.token.expiresAt,
            !revoked.includes(known)
        else { return nil }
        // The token is valid: record its use.
        if known.needsRecording(at: now) {
            confirmations.record(known.token, at: now)
            activity.mark(known.token.session, at: now)
            known.recorded(at: now)
        }
        return known
    }
}
