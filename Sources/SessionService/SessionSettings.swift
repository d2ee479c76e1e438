package import Cryptography
package import ServiceRuntime

/// What an operator can set of the session service.
package struct SessionSettings: Settings {
    /// A session that is not refreshed for this long ends (S-02).
    package let idleMax: Duration
    /// A session ends at this age in any case (S-02).
    package let ageMax: Duration
    /// How long an access token lives, ± 5 % (S-01).
    package let accessTokenLife: Duration
    /// `iss` of access tokens.
    package let issuer: String
    /// `aud` of access tokens.
    package let audience: String
    /// Claims that are added to every access token.
    package let extraClaims: ExtraClaims?
    /// How long a key signs access tokens (S-01).
    package let signingKeyLife: Duration
    /// How often followers of ends hear something.
    package let endsHeartbeat: Duration

    /// Declares the settings and takes their values.
    package init(reading settings: inout SettingsReader) {
        idleMax = settings.duration(
            "session-idle-max", default: .seconds(30 * 86_400),
            in: .seconds(300)...(.seconds(366 * 86_400)),
            reason: "A session that is not used for this long ends (S-02).")
        ageMax = settings.duration(
            "session-age-max", default: .seconds(90 * 86_400),
            in: .seconds(300)...(.seconds(3_660 * 86_400)),
            reason: "A session ends at this age, used or not (S-02).")
        accessTokenLife = settings.duration(
            "access-token-life", default: .seconds(600), in: .seconds(30)...(.seconds(3_600)),
            reason: "Within this time, ± 5 %, verifiers that follow no ends learn of one (S-01).")
        issuer = settings.string(
            "token-issuer", default: "postern", unit: "name or URL",
            reason: "Who access tokens are from (iss); verifiers demand it.")
        audience = settings.string(
            "token-audience", default: "postern", unit: "name or URL",
            reason: "Whom access tokens are for (aud); verifiers demand it.")
        let claims = settings.optionalString(
            "token-claims", unit: "JSON object",
            reason: "Claims added to every access token, for instance {\"tenant\":\"blue\"}.")
        extraClaims = claims.flatMap { ExtraClaims(json: $0) }
        settings.require(
            claims == nil || extraClaims != nil, ["token-claims"],
            "must be a JSON object of at most \(ExtraClaims.bytesMax) bytes without registered names"
        )
        signingKeyLife = settings.duration(
            "signing-key-life", default: .seconds(30 * 86_400),
            in: .seconds(3_600)...(.seconds(366 * 86_400)),
            reason: "Then another key signs access tokens; it is published before (S-01).")
        endsHeartbeat = settings.duration(
            "ends-heartbeat", default: .seconds(1), in: .milliseconds(100)...(.seconds(10)),
            reason:
                "Followers of ended sessions hear something so often, and know how stale they are.")
        settings.require(
            idleMax <= ageMax, ["session-idle-max", "session-age-max"],
            "session-idle-max must not be longer than session-age-max")
        settings.require(
            accessTokenLife <= idleMax, ["access-token-life", "session-idle-max"],
            "access-token-life must not be longer than session-idle-max")
    }
}
