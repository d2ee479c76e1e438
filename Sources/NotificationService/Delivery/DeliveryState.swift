package import ServiceRuntime

/// Where a message stands on its way.
///
///     queued ──claimed──▶ sending ──taken──▶ sent
///                          │  ▲ ├──refused──▶ dead
///                 failed   │  │ ├──failed, no time left──▶ dead
///              uncertain   │  │ └──uncertain, once too often──▶ dead
///              unavailable ▼  │ claimed
///                         waiting ──claimed, no time left──▶ dead
///
///     queued, waiting, dead ──discarded──▶ dead        dead ──retried, still of use──▶ queued
///
/// `sending` is a lease: a worker that dies leaves it to whoever comes after its end.
package enum DeliveryState: Hashable, Sendable {
    /// Accepted, not yet tried.
    case queued
    /// A worker has it, until then.
    case sending(until: Timestamp)
    /// A try has failed; not before then again.
    case waiting(until: Timestamp)
    /// A provider, or the inbox, has it.
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
    /// A provider said never.
    case refused
    /// Try after try was not answered: it may well have arrived, several times.
    case unanswered
    /// The operator said so.
    case discarded
}
