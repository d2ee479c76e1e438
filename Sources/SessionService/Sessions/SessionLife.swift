import ServiceRuntime

/// How long sessions live (S-02). Pure, exact at the boundary:
///
///     stored end  age < ageMax   unused < idleMax   state
///     yes         any            any                ended
///     no          yes            yes                live
///     no          no             yes                over: maximum age
///     no          yes            no                 over: inactive
///     no          no             no                 over, for the limit that was reached first
///
/// At the exact millisecond of a limit the session is over. The limits are those of the sign-in's
/// methods, whatever was proved since; of several methods, the strictest (S-02).
struct SessionLife: Hashable, Sendable {
    /// The state of a session.
    enum State: Hashable, Sendable {
        case live
        /// It has timed out, and the end is not written yet.
        case over(EndReason)
        /// Its end is stored.
        case ended(EndReason)

        /// Why it is over; nil for a live one.
        var reason: EndReason? {
            switch self {
            case .live: nil
            case .over(let reason), .ended(let reason): reason
            }
        }
    }

    let idleMax: Duration
    let ageMax: Duration
    /// Different limits for some sign-in methods.
    var byMethod: [String: SessionLimits] = [:]

    /// The limits for a session that was signed in to by `methods`.
    func limits(for methods: [String]) -> SessionLimits {
        let standard = SessionLimits(idleMax: idleMax, ageMax: ageMax)
        guard !byMethod.isEmpty, let first = methods.first else { return standard }
        return methods.dropFirst().reduce(byMethod[first] ?? standard) { limits, method in
            limits.stricter(byMethod[method] ?? standard)
        }
    }

    private func limits(of session: Session) -> SessionLimits {
        limits(for: session.proofs.signIn.methods)
    }

    /// The state of `session` at `now`.
    func state(of session: Session, at now: Timestamp) -> State {
        if let end = session.end { return .ended(end.reason) }
        let limits = limits(of: session)
        let idleEnd = session.usedAt + limits.idleMax
        let ageEnd = session.createdAt + limits.ageMax
        if now < min(idleEnd, ageEnd) { return .live }
        return .over(idleEnd < ageEnd ? .inactive : .maximumAge)
    }

    /// When the session reaches its maximum age.
    func ageEnd(of session: Session) -> Timestamp {
        session.createdAt + limits(of: session).ageMax
    }

    /// When the session ends if it is not used again.
    func unusedEnd(of session: Session) -> Timestamp {
        min(session.usedAt + limits(of: session).idleMax, ageEnd(of: session))
    }
}

extension SessionLife {
    /// The operator's limits.
    init(_ settings: SessionSettings) {
        self.init(
            idleMax: settings.idleMax, ageMax: settings.ageMax, byMethod: settings.limitsByMethod)
    }
}

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

    private static let methodBytesMax = 32

    /// Parses an entry of the setting `session-limits`: `METHOD=IDLE/AGE`, for example
    /// `otp=30d/90d`, where the method is an `amr` value (RFC 8176) of access tokens.
    /// - Returns: nil for anything else, and for limits out of range.
    static func entry(_ text: String) -> (method: String, limits: SessionLimits)? {
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
        (1...methodBytesMax).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": true
                default: false
                }
            }
    }
}
