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
/// At the very millisecond of a limit the session is over.
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

    /// How `session` stands at `now`.
    func state(of session: Session, at now: Timestamp) -> State {
        if let end = session.end { return .ended(end.reason) }
        let (idleEnd, ageEnd) = (session.usedAt + idleMax, ageEnd(of: session))
        if now < min(idleEnd, ageEnd) { return .live }
        return .over(idleEnd < ageEnd ? .inactive : .maximumAge)
    }

    /// When the session ends in any case.
    func ageEnd(of session: Session) -> Timestamp { session.createdAt + ageMax }

    /// When the session ends if it is not used any more.
    func unusedEnd(of session: Session) -> Timestamp {
        min(session.usedAt + idleMax, ageEnd(of: session))
    }
}
