import Contracts
package import Cryptography
package import ServiceRuntime

/// The session service's settings.
package struct SessionSettings: Settings {
    /// The longest session life in multiples of the refresh token key's life. Key ids have one
    /// byte, and all keys of live sessions must be kept.
    private static let refreshKeysMax = 200

    /// A session that is not refreshed for this long ends (S-02).
    package var idleMax: Duration = .seconds(30 * 86_400)
    /// A session ends at this age in any case (S-02).
    package var ageMax: Duration = .seconds(90 * 86_400)
    /// Different limits for some sign-in methods (S-02).
    var limitsByMethod: [String: SessionLimits] = [:]
    /// The longest life of any session, whatever its method. Refresh tokens are accepted for this
    /// long.
    var longestAge: Duration { limitsByMethod.values.map(\.ageMax).reduce(ageMax, max) }
    /// Maximum live sessions of an account (S-03).
    package var sessionsMax = 5
    /// How often activity is written to the store (S-05).
    package var activityInterval: Duration = .seconds(60)
    /// How long a session's row is kept after its end.
    package var endedSessionRetention: Duration = .seconds(90 * 86_400)
    /// Lifetime of an access token, ± 5 % (S-01).
    package var accessTokenLife: Duration = .seconds(600)
    /// How long after a rotation the parent token may be retried, where no key proves the device
    /// (G-10).
    package var refreshGrace: Duration = .seconds(30)
    /// How long refresh tokens are issued under one key.
    package var refreshKeyLife: Duration = .seconds(30 * 86_400)
    /// How a session is bound to its device (S-04).
    package var deviceBinding = DeviceBinding.signal
    /// `iss` of access tokens.
    package var issuer = "postern"
    /// `aud` of access tokens.
    package var audience = "postern"
    /// Claims that are added to every access token.
    package var extraClaims: ExtraClaims?
    /// How long a key signs access tokens (S-01).
    package var signingKeyLife: Duration = .seconds(30 * 86_400)
    /// Interval of heartbeats in the revocation feed.
    package var endsHeartbeat: Duration = .seconds(1)

    /// Declares the settings and reads their values.
    package init(reading settings: inout SettingsReader) {
        readSessions(&settings)
        readTokens(&settings)
        settings.duration(
            "signing-key-life", &signingKeyLife, in: .seconds(3_600)...(.seconds(366 * 86_400)),
            reason: "The signing key is rotated after this; the next is published before (S-01).")
        settings.duration(
            "ends-heartbeat", &endsHeartbeat, in: .milliseconds(100)...(.seconds(10)),
            reason:
                "Heartbeat interval of the revocation feed; it tells followers how stale they are.")
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

    private mutating func readSessions(_ settings: inout SettingsReader) {
        settings.duration(
            "session-idle-max", &idleMax, in: SessionLimits.idleRange,
            reason: "A session that is unused for this long ends (S-02).")
        settings.duration(
            "session-age-max", &ageMax, in: SessionLimits.ageRange,
            reason: "A session ends at this age, used or not (S-02).")
        limitsByMethod = Self.limitsByMethod(&settings)
        settings.integer(
            "sessions-max", &sessionsMax, in: 1...100, unit: "sessions",
            reason: "Live sessions of an account; one more ends the least recently used (S-03).")
        settings.duration(
            "activity-interval", &activityInterval, in: .seconds(1)...(.seconds(3_600)),
            reason: "Session activity is written this often; a crash loses one interval (S-05).")
        settings.duration(
            "ended-sessions-kept", &endedSessionRetention,
            in: .seconds(86_400)...(.seconds(3_660 * 86_400)),
            reason: "How long after its end a session and the reason of its end are kept.")
    }

    private mutating func readTokens(_ settings: inout SettingsReader) {
        settings.duration(
            "access-token-life", &accessTokenLife, in: .seconds(30)...(.seconds(3_600)),
            reason: "Access token life, ± 5 %: the delay of revocation without the feed (S-01).")
        settings.duration(
            "refresh-grace", &refreshGrace, in: .zero...(.seconds(300)),
            reason:
                "How long a refresh can be retried; a theft can stay undetected for as long (G-10)."
        )
        settings.duration(
            "refresh-key-life", &refreshKeyLife,
            in: .seconds(86_400)...(.seconds(366 * 86_400)),
            reason: "The refresh token key is rotated after this time; old tokens stay valid.")
        let guests = SessionLimits.ofGuests(ageMax: refreshKeyLife * Self.refreshKeysMax)
        limitsByMethod.merge(Authentication.guest.amr.map { ($0, guests) }) { named, _ in named }
        settings.choice(
            "device-binding", &deviceBinding,
            reason: "Handling of refreshes from another device and sign-ins without a key (S-04).")
        settings.string(
            "token-issuer", &issuer, unit: "name or URL",
            reason: "Issuer of access tokens (iss); verifiers require it.")
        settings.string(
            "token-audience", &audience, unit: "name or URL",
            reason: "Audience of access tokens (aud); verifiers require it.")
        let claims = settings.optionalString(
            "token-claims", unit: "JSON object",
            reason: "Claims added to every access token, for example {\"tenant\":\"blue\"}.")
        extraClaims = claims.flatMap { ExtraClaims(json: $0) }
        settings.require(
            claims == nil || extraClaims != nil, ["token-claims"],
            "must be a JSON object of at most \(ExtraClaims.bytesMax) bytes without registered names"
        )
    }

    private static func limitsByMethod(
        _ settings: inout SettingsReader
    ) -> [String: SessionLimits] {
        var texts: [String] = []
        settings.strings(
            "session-limits", &texts, unit: "METHOD=IDLE/AGE",
            reason: """
                Other limits by sign-in method, for example sms=10d/30d; the strictest applies. \
                Guests (anon) have 180d/1830d unless listed here.
                """)
        let entries = texts.compactMap(SessionLimits.entry)
        settings.require(
            entries.count == texts.count && Set(entries.map(\.method)).count == entries.count,
            ["session-limits"],
            "each is METHOD=IDLE/AGE, such as otp=30d/90d; IDLE is not longer than AGE")
        return Dictionary(entries.map { ($0.method, $0.limits) }) { first, _ in first }
    }
}

/// Limits of sessions as the operator writes them.
extension SessionLimits {
    /// The range of a setting.
    fileprivate static let idleRange = Duration.seconds(300)...Duration.seconds(366 * 86_400)
    /// The range of a setting.
    fileprivate static let ageRange = Duration.seconds(300)...Duration.seconds(3_660 * 86_400)

    private static let methodBytesMax = 32

    /// Parses an entry of the setting `session-limits`: `METHOD=IDLE/AGE`, for example
    /// `otp=30d/90d`, where the method is an `amr` value (RFC 8176) of access tokens.
    /// - Returns: nil for anything else, and for limits out of range.
    fileprivate static func entry(_ text: String) -> (method: String, limits: SessionLimits)? {
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, isMethod(halves[0]) else { return nil }
        let times = halves[1].split(separator: "/", omittingEmptySubsequences: false)
            .map { DurationText.read(String($0)) }
        guard times.count == 2, let idle = times[0], let age = times[1], idle <= age,
            idleRange.contains(idle), ageRange.contains(age)
        else { return nil }
        return (String(halves[0]), SessionLimits(idleMax: idle, ageMax: age))
    }

    private static func isMethod(_ text: Substring) -> Bool {
        text.isName(1...methodBytesMax, [.letter, .digit], marks: "-_.")
    }
}
