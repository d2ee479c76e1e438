import ServiceRuntime

/// How long a session may live: unused, and in all (S-02).
struct SessionLimits: Hashable, Sendable {
    /// The range of a setting.
    static let idleRange = Duration.seconds(300)...Duration.seconds(366 * 86_400)
    /// The range of a setting.
    static let ageRange = Duration.seconds(300)...Duration.seconds(3_660 * 86_400)

    let idleMax: Duration
    let ageMax: Duration

    /// The `amr` of a guest's session, for which nothing was proved (G-07).
    static let guestsMethod = "anon"

    /// The default limits for guests: half a year unused, and five years in all. A guest has
    /// nothing but the session: when it ends, their data is lost to them, however active they were.
    /// Providers ("fed") and codes ("sms") have the limits of passwords, since these users can sign
    /// in again.
    /// - Parameter ageMax: a shorter age, where refresh token keys are not kept as long.
    static func ofGuests(ageMax: Duration) -> SessionLimits {
        SessionLimits(idleMax: .seconds(180 * 86_400), ageMax: .seconds(1_830 * 86_400))
            .stricter(SessionLimits(idleMax: ageMax, ageMax: ageMax))
    }

    /// The shorter limit of each kind.
    func stricter(_ other: SessionLimits) -> SessionLimits {
        SessionLimits(
            idleMax: min(idleMax, other.idleMax), ageMax: min(ageMax, other.ageMax))
    }
}

/// One entry of the setting `session-limits`: `METHOD=IDLE/AGE`, for example `otp=30d/90d`, where
/// the method is an `amr` value (RFC 8176) of access tokens.
struct MethodLimits: Hashable, Sendable {
    private static let methodBytesMax = 32

    let method: String
    let limits: SessionLimits

    /// Parses an entry; nil for anything else, and for limits out of range.
    init?(_ text: String) {
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, Self.isMethod(halves[0]) else { return nil }
        let times = halves[1].split(separator: "/", omittingEmptySubsequences: false)
            .map { DurationText.read(String($0)) }
        guard times.count == 2, let idle = times[0], let age = times[1], idle <= age,
            SessionLimits.idleRange.contains(idle), SessionLimits.ageRange.contains(age)
        else { return nil }
        method = String(halves[0])
        limits = SessionLimits(idleMax: idle, ageMax: age)
    }

    private static func isMethod(_ text: Substring) -> Bool {
        (1...methodBytesMax).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": true
                default: false
                }
            }
    }
}
