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
/// `sending` is a lease of one holder: when its worker dies, the holder's next start releases it,
/// and after the lease expires any holder can claim the message (`LeaseHolder`).
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

    /// Why the rule stopped the delivery of a message.
    enum DeathReason: String, Sendable {
        /// It has expired, or attempts have failed for too long.
        case expired
        /// A provider rejected it permanently.
        case refused
        /// Several attempts were not answered. It may have arrived, even several times.
        case unanswered
    }
}

/// Why a message ended other than by the delivery rule. Its row has the raw value.
enum WithdrawalReason: String, Sendable {
    /// The operator discarded it.
    case discarded
    /// Its account was deleted.
    case forgotten
    /// Too many messages were queued for its recipient (`RecipientRateLimiter`).
    case recipientLimit = "recipient-limit"
    /// It waited when a backup was made that was restored since (`NotificationRestore`).
    case restored
}

/// The delivery rule (N-05): the state of a message and an event give the next state. Pure; the
/// worker reads, calls the rule, and writes the result.
struct Delivery: Hashable, Sendable {
    /// What can happen to a message.
    enum Event: Hashable, Sendable {
        /// A worker with free capacity requests it.
        case claimed
        /// The lease's holder has just started, so none of its workers has the message any more.
        case restarted
        /// The running attempt has ended. `random` is the jitter of the next one.
        case concluded(DeliveryOutcome, random: UInt64)
    }

    /// How long a worker may hold a message: `waitForTryMax` plus the longest attempt (setting
    /// `delivery-timeout`). With a shorter lease a slow message would be sent a second time.
    static let lease: Duration = .seconds(180)
    /// How long a claimed message may wait for its attempt. After that it is put back.
    static let waitForTryMax: Duration = .seconds(60)
    /// How long a message is retried. RFC 5321, 4.5.4.1, recommends days for letters, but a link or
    /// a code that arrives after a day only confuses.
    static let giveUpTime: Duration = .seconds(24 * 3_600)
    /// How long to wait before a retry when a provider did not say whether it took the message: as
    /// long as a mail server may take after the last line (RFC 5321, 4.5.3.2.6).
    static let unansweredWait: Duration = .seconds(600)
    /// The delay after the first failure when the provider does not name one.
    static let firstWait: Duration = .seconds(2)
    /// The delay after the ninth and each later failure. A mail server's restart delays a message
    /// by no more than this.
    static let longestWait: Duration = .seconds(300)
    /// Unanswered attempts after which a message is dead. Each may have reached the reader, and
    /// each text message is charged.
    static let unansweredMax = 3

    /// The current state.
    let state: DeliveryState
    /// Attempts that were started.
    let attempts: Int
    /// The time of acceptance.
    let acceptedAt: Timestamp
    /// When the message expires; nil for never.
    let expiresAt: Timestamp?
    /// When the operator retried the dead message; nil for never.
    var renewedAt: Timestamp?
    /// Attempts after which a provider may have taken the message, since the operator's last retry.
    var unanswered = 0

    /// The delivery after `event`; nil when the event does not apply to the current state.
    func after(_ event: Event, at now: Timestamp) -> Delivery? {
        switch (event, state) {
        case (_, .sent), (_, .dead): nil
        case (.claimed, _): claimed(at: now)
        case (.restarted, .sending): with(.waiting(until: now))
        case (.concluded(.unavailable(_, let until), _), .sending):
            // No attempt was made. Whether the message has expired by then is checked when it is
            // claimed.
            with(.waiting(until: max(until, now)), attempts: max(0, attempts - 1))
        case (.concluded(let outcome, let random), .sending):
            with(
                concluded(outcome, random: random, at: now),
                unanswered: unanswered + (outcome.isUncertain ? 1 : 0))
        case (.restarted, _), (.concluded, _): nil
        }
    }

    /// Until when the sealed content of a dead message is stored so that the operator can retry it;
    /// nil if the message has expired.
    func retainedUntil(from now: Timestamp) -> Timestamp? {
        let longest = now + NotificationStore.retention
        let end = min(longest, expiresAt ?? longest)
        return end > now ? end : nil
    }

    /// When it may be claimed next; nil if never.
    var dueAt: Timestamp? {
        switch state {
        case .queued: acceptedAt
        case .sending(let until), .waiting(let until): until
        case .sent, .dead: nil
        }
    }

    private func claimed(at now: Timestamp) -> Delivery? {
        guard let dueAt, dueAt <= now else { return nil }
        if now >= endsAt { return with(.dead(.expired)) }
        return with(.sending(until: now + Self.lease), attempts: attempts + 1)
    }

    private func concluded(
        _ outcome: DeliveryOutcome, random: UInt64, at now: Timestamp
    ) -> DeliveryState {
        switch outcome {
        case .taken: return .sent
        case .refused: return .dead(.refused)
        case .failed(_, let retryAfter):
            let wait = Self.wait(attempts: attempts, random: random)
            let next = now + max(wait, retryAfter ?? .zero)
            return next < endsAt ? .waiting(until: next) : .dead(.expired)
        case .uncertain: return uncertain(at: now)
        case .unavailable(_, let until): return .waiting(until: until)
        }
    }

    private func uncertain(at now: Timestamp) -> DeliveryState {
        if unanswered + 1 >= Self.unansweredMax { return .dead(.unanswered) }
        let next = now + Self.unansweredWait
        return next < endsAt ? .waiting(until: next) : .dead(.expired)
    }

    /// The delay after `attempts` attempts (from 1), with jitter from `random`.
    static func wait(attempts: Int, random: UInt64) -> Duration {
        Backoff.wait(failures: attempts, first: firstWait, most: longestWait, random: random)
    }

    private var endsAt: Timestamp {
        let lastTry = (renewedAt ?? acceptedAt) + Self.giveUpTime
        return min(lastTry, expiresAt ?? lastTry)
    }

    private func with(
        _ state: DeliveryState, attempts: Int? = nil, unanswered: Int? = nil
    ) -> Delivery {
        Delivery(
            state: state, attempts: attempts ?? self.attempts, acceptedAt: acceptedAt,
            expiresAt: expiresAt, renewedAt: renewedAt, unanswered: unanswered ?? self.unanswered)
    }
}
