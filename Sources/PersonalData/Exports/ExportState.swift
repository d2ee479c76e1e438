import ServiceRuntime

/// The state of an export (G-21). Pure:
///
///     state       event              becomes
///     (none)      requested          preparing, at once
///     preparing   requested          the same: a second request changes nothing
///     preparing   an attempt begins  preparing, with the time of the next one, should it fail
///     preparing   archive written    ready, for 7 days
///     preparing   7 days over        (none)
///     ready       requested          the same
///     ready       7 days over        (none)
///     any         cancelled          (none)
///
/// A crash changes no state: what is being prepared is begun again at the next start, with a new
/// archive. The file of the old one has no name yet, or no row names it.
enum ExportState: Hashable, Sendable {
    /// How long a finished archive is kept, and how long one is tried to be prepared.
    static let life: Duration = .seconds(7 * 24 * 3_600)
    /// The wait after the first failed attempt; it doubles with each further one.
    static let retryMin: Duration = .seconds(2)
    /// The longest wait, from the twelfth failure on: a peer that is away for a day must not be
    /// asked all the time.
    private static let retryMax: Duration = .seconds(3_600)

    /// It is being prepared; the next attempt is due then.
    case preparing(nextAttemptAt: Timestamp)
    /// It can be fetched.
    case ready(ExportArchive)

    /// Whether it is being prepared.
    var isPreparing: Bool {
        if case .preparing = self { true } else { false }
    }

    /// When the `attempts`th attempt begins at `moment`; 1 for the first one.
    static func begun(attempts: Int64, at moment: Timestamp) -> ExportState {
        let doublings = min(max(attempts - 1, 0), 16)
        let wait = min(retryMin * (1 << Int(doublings)), retryMax)
        return .preparing(nextAttemptAt: moment + wait)
    }
}
