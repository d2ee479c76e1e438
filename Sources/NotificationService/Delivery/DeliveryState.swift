package import ServiceRuntime

/// Where a message stands on its way.
///
///     queued ──claimed──▶ sending ──taken──▶ sent
///                          │  ▲ ├──refused──▶ dead
///                 failed   │  │ └──failed, no time left──▶ dead
///                          ▼  │ claimed
///                         waiting ──claimed, no time left──▶ dead
///
/// `sending` is a lease: a worker that dies leaves it to whoever comes after its end.
package enum DeliveryState: Hashable, Sendable {
    /// Accepted, not yet tried.
    case queued
    /// A worker has it, until then.
    case sending(until: Timestamp)
    /// A try has failed; not before then again.
    case waiting(until: Timestamp)
    /// The mail server, or the inbox, has it.
    case sent
    /// Given up.
    case dead(DeathReason)

    /// Whether nothing more will happen.
    package var isEnded: Bool {
        switch self {
        case .sent, .dead: true
        case .queued, .sending, .waiting: false
        }
    }
}

/// Why a message was given up; stored as its raw value.
package enum DeathReason: String, CaseIterable, Sendable {
    /// It would have come too late to be of use, or every try failed for too long.
    case expired
    /// The mail server said never.
    case refused
}

/// How one try ended.
package enum DeliveryOutcome: Hashable, Sendable {
    /// The message is somebody else's responsibility now.
    case taken
    /// It will never be taken; the server's code.
    case refused(code: Int)
    /// Not this time: one of a closed set of words, for log and store.
    case failed(String)
}
