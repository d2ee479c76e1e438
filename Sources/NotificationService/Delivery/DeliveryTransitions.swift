import ServiceRuntime
import Storage

/// An attempt that has ended and whose outcome must be stored.
struct FinishedAttempt: Sendable {
    let message: StoredMessage
    let outcome: DeliveryOutcome
    /// The jitter of the next attempt.
    let jitter: UInt64
}

/// The messages that a worker read to claim them.
struct ClaimedMessages: Sendable {
    /// Those that it has a lease on now.
    var leased: [StoredMessage] = []
    /// Those that had expired while they waited. They are dead now.
    var expired: [StoredMessage] = []
}

/// The worker's writes. Each step applies the rule and is one transaction with its audit record.
extension Transaction {
    /// Takes leases on due messages of a channel, also on those whose lease has ended. Messages
    /// that have expired become dead.
    func claim(
        _ channel: Channel, _ budget: ClaimBudget, by holder: LeaseHolder
    ) throws -> ClaimedMessages {
        let expired = DeliveryState.DeathReason.expired.rawValue
        var claimed = ClaimedMessages()
        var all = ClaimBudget.LaneCounts()
        for (lane, isShare) in ClaimBudget.claimOrder {
            let limit = budget.limit(lane, isShare: isShare, taken: all)
            let found = try dueMessages(channel, lane, limit: limit).compactMap {
                try record($0, .claimed, by: holder, reason: expired)
            }
            let leased = found.filter { !$0.delivery.state.isEnded }
            claimed.leased += leased
            claimed.expired += found.filter(\.delivery.state.isEnded)
            all.add(leased.count, lane)
        }
        return claimed
    }

    /// Releases the leases of a holder that has just started, `limit` at a time.
    /// - Returns: how many were released.
    func releaseLeases(of holder: LeaseHolder, limit: Int) throws -> Int {
        try leasedMessages(of: holder, limit: limit).count { message in
            try record(message, .restarted, by: holder, reason: nil) != nil
        }
    }

    /// Stores the outcome of an attempt.
    /// - Returns: the message in its new state; nil when the attempt's lease is gone: it ended and
    ///   the message was claimed again, or the message was erased.
    func conclude(
        _ attempt: FinishedAttempt, routes: [Channel: any MessageRoute]
    ) throws -> StoredMessage? {
        let (message, outcome) = (attempt.message, attempt.outcome)
        let event = Delivery.Event.concluded(outcome, random: attempt.jitter)
        let recorded = try record(message, event, by: message.holder, reason: outcome.reason)
        guard let after = recorded else { return nil }
        switch outcome {
        case .taken, .unavailable: break
        case .failed(let reason, _), .uncertain(let reason):
            try recordFailedTry(message.id, attempt: message.delivery.attempts, reason: reason)
        case .refused(let reason, let addressIsDead):
            try recordFailedTry(message.id, attempt: message.delivery.attempts, reason: reason)
            guard addressIsDead else { break }
            let address = DeadAddress(
                message: message.id, recipient: message.recipient, reason: reason,
                acceptedAt: message.delivery.acceptedAt)
            try routes[message.channel]?.suppress(address, in: self)
        }
        return after
    }

    private func record(
        _ message: StoredMessage, _ event: Delivery.Event, by holder: LeaseHolder, reason: String?
    ) throws -> StoredMessage? {
        guard let delivery = message.delivery.after(event, at: at) else { return nil }
        let after = message.with(delivery, holder)
        // While an attempt runs the row has no reason; earlier attempts are in `failed_try`.
        guard try update(message, to: after, reason: delivery.state.storedReason(for: reason))
        else { return nil }
        if case .dead = delivery.state, let end = delivery.retainedUntil(from: at) {
            try storeDeadLetter(message, until: end)
        }
        if let ending = AuditEvent(ending: delivery, of: message) {
            try audit(ending)
        }
        return after
    }
}

extension DeliveryState {
    /// The reason in the message's row. `reason` is that of the attempt.
    fileprivate func storedReason(for reason: String?) -> String? {
        switch self {
        case .sending: nil
        case .dead(.unanswered): DeliveryState.DeathReason.unanswered.rawValue
        case .queued, .waiting, .sent, .dead: reason
        }
    }
}

extension AuditEvent {
    /// The audit record of a message's end; nil if it has not ended.
    fileprivate init?(ending delivery: Delivery, of message: StoredMessage) {
        let kind: AuditKind
        let outcome: ErrorCode?
        switch delivery.state {
        case .queued, .sending, .waiting: return nil
        case .sent: (kind, outcome) = (.messageSent, nil)
        case .dead(.expired): (kind, outcome) = (.messageDead, .deadlineExceeded)
        case .dead(.unanswered): (kind, outcome) = (.messageDead, .unavailable)
        case .dead(.refused): (kind, outcome) = (.messageDead, .permissionDenied)
        }
        self.init(
            kind, subject: message.recipient, outcome: outcome,
            attempt: Int64(delivery.attempts),
            detail: .message(message.channel, message.template))
    }
}

extension AuditDetail {
    /// A message by its channel and its template, as the store has them: no name of a template
    /// comes from a request without having been found in the list.
    static func message(_ channel: Channel, _ template: String) -> AuditDetail {
        .message(channel: "\(channel)", template: template.isEmpty ? nil : template)
    }
}
