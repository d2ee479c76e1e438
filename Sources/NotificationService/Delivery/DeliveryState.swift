import ServiceRuntime

/// The delivery state of a message.
///
///     queued ──claimed──▶ sending ──taken──▶ sent
///                          │  ▲ ├──refused──▶ dead
///                 failed   │  │ ├──failed, expired──▶ dead
///              uncertain   │  │ └──uncertain, too often──▶ dead
///              unavailable ▼  │ claimed
///                         waiting ──claimed, expired──▶ dead
///
///     queued, waiting, dead ──discarded──▶ dead        dead ──retried, not expired──▶ queued
///
/// `sending` is a lease: when a worker dies, the message can be claimed again after the lease
/// expires.
enum DeliveryState: Hashable, Sendable {
    /// Accepted, no attempt made yet.
    case queued
    /// A worker holds a lease until then.
    case sending(until: Timestamp)
    /// An attempt has failed; not retried before then.
    case waiting(until: Timestamp)
    /// A provider, or the inbox, has taken it.
    case sent
    /// Delivery has stopped.
    case dead(DeathReason)

    /// Whether this state is final.
    var isEnded: Bool {
        switch self {
        case .sent, .dead: true
        case .queued, .sending, .waiting: false
        }
    }
}

/// Why delivery of a message stopped. Stored as its raw value.
enum DeathReason: String, CaseIterable, Sendable {
    /// It has expired, or attempts have failed for too long.
    case expired
    /// A provider rejected it permanently.
    case refused
    /// Several attempts were not answered. It may have arrived, even several times.
    case unanswered
    /// The operator discarded it.
    case discarded
}
