package import Cryptography
package import ServiceRuntime

/// What an operator can set of the session service.
package struct SessionSettings: Settings {
    /// A session is taken for so many lives of a refresh key at most: keys have numbers of a byte.
    private static let refreshKeysMax = 200

    /// A session that is not refreshed for this long ends (S-02).
    package let idleMax: Duration
    /// A session ends at this age in any case (S-02).
    package let ageMax: Duration
    /// Other limits for some sign-in methods (S-02).
    let limitsByMethod: [String: SessionLimits]
    /// No session lives longer, whatever its method: so long are refresh tokens taken.
    var longestAge: Duration { limitsByMethod.values.map(\.ageMax).reduce(ageMax, max) }
    /// Live sessions of an account (S-03).
    package let sessionsMax: Int
    /// How often activity is written (S-05).
    package let activityInterval: Duration
    /// How long a session is remembered after its end.
    package let endedSessionsKept: Duration
    /// How long an access token lives, ± 5 % (S-01).
    package let accessTokenLife: Duration
    /// How long after a rotation its parent is answered again, where no key proves the device
    /// (G-10).
    package let refreshGrace: Duration
    /// How long refresh tokens are made under one key.
    package let refreshKeyLife: Duration
    /// What ties a session to its device (S-04).
    package let deviceBinding: DeviceBinding
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
            in: SessionLimits.idleRange,
            reason: "A session that is not used for this long ends (S-02).")
        ageMax = settings.duration(
            "session-age-max", default: .seconds(90 * 86_400),
            in: SessionLimits.ageRange,
            reason: "A session ends at this age, used or not (S-02).")
        let named = Self.limitsByMethod(&settings)
        sessionsMax = settings.integer(
            "sessions-max", default: 5, in: 1...100, unit: "sessions",
            reason: "Live sessions of an account; the one used least recently gives way (S-03).")
        activityInterval = settings.duration(
            "activity-interval", default: .seconds(60), in: .seconds(1)...(.seconds(3_600)),
            reason: "Uses of sessions are written this often; a crash loses the last of it (S-05).")
        endedSessionsKept = settings.duration(
            "ended-sessions-kept", default: .seconds(90 * 86_400),
            in: .seconds(86_400)...(.seconds(3_660 * 86_400)),
            reason: "For this long after its end the reason of a session's end is told.")
        accessTokenLife = settings.duration(
            "access-token-life", default: .seconds(600), in: .seconds(30)...(.seconds(3_600)),
            reason: "Within this time, ± 5 %, verifiers that follow no ends learn of one (S-01).")
        refreshGrace = settings.duration(
            "refresh-grace", default: .seconds(30), in: .zero...(.seconds(300)),
            reason:
                "A lost answer is given again for so long; a thief may go unnoticed as long (G-10)."
        )
        refreshKeyLife = settings.duration(
            "refresh-key-life", default: .seconds(30 * 86_400),
            in: .seconds(86_400)...(.seconds(366 * 86_400)),
            reason: "Refresh tokens are made under a new key after this time; old ones stay good.")
        limitsByMethod = named.merging(
            [SessionLimits.guestsMethod: .ofGuests(ageMax: refreshKeyLife * Self.refreshKeysMax)]
        ) { named, _ in named }
        deviceBinding = settings.choice(
            "device-binding", default: .signal,
            reason: "What refreshes from another device and sign-ins without a key become (S-04).")
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
            longestAge <= refreshKeyLife * Self.refreshKeysMax,
            ["session-age-max", "session-limits", "refresh-key-life"],
            "no session may live longer than 200 times refresh-key-life")
        settings.require(
            accessTokenLife <= idleMax, ["access-token-life", "session-idle-max"],
            "access-token-life must not be longer than session-idle-max")
        settings.require(
            limitsByMethod.values.allSatisfy { [accessTokenLife] in accessTokenLife <= $0.idleMax },
            ["access-token-life", "session-limits"],
            "access-token-life must not be longer than an idle limit of session-limits")
    }

    private static func limitsByMethod(
        _ settings: inout SettingsReader
    ) -> [String: SessionLimits] {
        let texts = settings.strings(
            "session-limits", default: [], unit: "METHOD=IDLE/AGE",
            reason: """
                Other limits by sign-in method, such as sms=10d/30d; the strictest holds. Guests \
                (anon) have 180d/1830d unless named here.
                """)
        let entries = texts.compactMap(MethodLimits.init)
        settings.require(
            entries.count == texts.count && Set(entries.map(\.method)).count == entries.count,
            ["session-limits"],
            "each is METHOD=IDLE/AGE, such as otp=30d/90d; IDLE is not longer than AGE")
        return Dictionary(entries.map { ($0.method, $0.limits) }) { first, _ in first }
    }
}
