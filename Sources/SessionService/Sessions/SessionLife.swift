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
