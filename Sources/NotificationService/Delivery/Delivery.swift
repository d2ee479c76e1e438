package import ServiceRuntime

/// The rule of delivery (N-05): given where a message stands and what happened, where it stands
/// then. Pure; the worker reads, asks, and writes what this says.
package struct Delivery: Hashable, Sendable {
    /// What can happen to a message.
    package enum Event: Hashable, Sendable {
        /// A worker that has nothing to do asks for it.
        case claimed
        /// The program has just started, so whoever held a lease is gone: one store, one process.
        case restarted
        /// The try that was begun has ended; `random` places the next one.
        case concluded(DeliveryOutcome, random: UInt64)
    }

    /// How long a worker may hold a message: `waitForTryMax` and the longest try (setting
    /// `delivery-timeout`), or a slow one would be sent a second time.
    package static let lease: Duration = .seconds(180)
    /// How long a claimed message may wait for its try; after that it is put back.
    package static let waitForTryMax: Duration = .seconds(60)
    /// How long tries go on; RFC 5321, 4.5.4.1, asks for days for letters, but a link or a code
    /// that comes after a day only confuses.
    package static let patience: Duration = .seconds(24 * 3_600)
    /// How long a provider that did not say whether it took a message is left with it: as long as a
    /// mail server may think after the last line (RFC 5321, 4.5.3.2.6).
    package static let unansweredWait: Duration = .seconds(600)
    /// Tries without a word of that kind, after which a message is given up: each may have reached
    /// its reader, and a text message is paid for each time.
    package static let unansweredMax = 3

    /// Where it stands.
    package let state: DeliveryState
    /// Tries begun.
    package let attempts: Int
    /// When it was accepted.
    package let acceptedAt: Timestamp
    /// From then on it is of no use; nil for no such moment.
    package let expiresAt: Timestamp?
    /// When the operator had it sent after all; nil for never.
    package let renewedAt: Timestamp?
    /// Tries whose provider may have taken it, since the operator last had it sent.
    package let unanswered: Int

    /// A delivery as it stands.
    package init(
        state: DeliveryState, attempts: Int, acceptedAt: Timestamp, expiresAt: Timestamp?,
        renewedAt: Timestamp? = nil, unanswered: Int = 0
    ) {
        self.state = state
        self.attempts = attempts
        self.acceptedAt = acceptedAt
        self.expiresAt = expiresAt
        self.renewedAt = renewedAt
        self.unanswered = unanswered
    }

    /// Where it stands after `event`; nil when the event does not concern it as it stands.
    package func after(_ event: Event, at now: Timestamp) -> Delivery? {
        switch (event, state) {
        case (_, .sent), (_, .dead): nil
        case (.claimed, _): claimed(at: now)
        case (.restarted, .sending): with(.waiting(until: now))
        case (.concluded(.unavailable(_, let until), _), .sending):
            // Nothing was tried. Whether it has expired by then is found when it is claimed.
            with(.waiting(until: max(until, now)), attempts: max(0, attempts - 1))
        case (.concluded(let outcome, let random), .sending):
            with(
                concluded(outcome, random: random, at: now),
                unanswered: unanswered + (outcome.isUncertain ? 1 : 0))
        case (.restarted, _), (.concluded, _): nil
        }
    }

    /// Until when what a dead message says is kept, sealed, for the operator to have it sent after
    /// all; nil for one that is of no use any more.
    package func keptUntil(from now: Timestamp) -> Timestamp? {
        let longest = now + NotificationStore.keptFor
        let end = min(longest, expiresAt ?? longest)
        return end > now ? end : nil
    }

    /// When it may be claimed next; nil when never.
    package var dueAt: Timestamp? {
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
            let wait = DeliveryBackoff.wait(attempts: attempts, random: random)
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

    private var endsAt: Timestamp {
        let lastTry = (renewedAt ?? acceptedAt) + Self.patience
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
