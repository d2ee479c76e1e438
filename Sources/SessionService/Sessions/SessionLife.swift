import ServiceRuntime

/// How long sessions live (S-02). Pure, exact at the edge:
///
///     noted end   age < ageMax   unused < idleMax   state
///     yes         any            any                ended
///     no          yes            yes                live
///     no          no             yes                over: maximum age
///     no          yes            no                 over: inactive
///     no          no             no                 over, for whichever came first
///
/// At the very millisecond of a limit the session is over. The limits are those of the way it was
/// signed in to, whatever was proved since; of several ways, the strictest (S-02).
struct SessionLife: Hashable, Sendable {
    /// How a session stands.
    enum State: Hashable, Sendable {
        case live
        /// Time has ended it, and nobody has noted it yet.
        case over(EndReason)
        /// Its end is noted.
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
    /// Other limits for some sign-in methods.
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

    /// How `session` stands at `now`.
    func state(of session: Session, at now: Timestamp) -> State {
        if let end = session.end { return .ended(end.reason) }
        let limits = limits(of: session)
        let idleEnd = session.usedAt + limits.idleMax
        let ageEnd = session.createdAt + limits.ageMax
        if now < min(idleEnd, ageEnd) { return .live }
        return .over(idleEnd < ageEnd ? .inactive : .maximumAge)
    }

    /// When the session ends in any case.
    func ageEnd(of session: Session) -> Timestamp {
        session.createdAt + limits(of: session).ageMax
    }

    /// When the session ends if it is not used any more.
    func unusedEnd(of session: Session) -> Timestamp {
        min(session.usedAt + limits(of: session).idleMax, ageEnd(of: session))
    }
}
