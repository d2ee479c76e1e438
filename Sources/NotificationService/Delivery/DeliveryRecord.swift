import ServiceRuntime
import Storage

/// What the worker writes: each step asks the rule, and is one transaction with its audit record.
extension Transaction {
    /// Takes leases on messages that are due; those that are past their time are given up.
    func claimDueMessages(limit: Int) throws -> [StoredMessage] {
        try dueMessages(limit: limit).compactMap { message in
            guard let claimed = try record(message, .claimed, reason: nil) else { return nil }
            return claimed.delivery.state.isEnded ? nil : claimed
        }
    }

    /// Frees the leases of a worker that is gone, `limit` at a time.
    /// - Returns: how many.
    func releaseLeases(limit: Int) throws -> Int {
        try leasedMessages(limit: limit).count { message in
            try record(message, .restarted, reason: nil) != nil
        }
    }

    /// Writes how a try ended.
    /// - Returns: the message as it stands then; nil when it is no longer this worker's.
    func conclude(
        _ message: StoredMessage, _ outcome: DeliveryOutcome, random: UInt64
    ) throws -> StoredMessage? {
        try record(message, .concluded(outcome, random: random), reason: outcome.reason)
    }

    private func record(
        _ message: StoredMessage, _ event: Delivery.Event, reason: String?
    ) throws -> StoredMessage? {
        guard let after = message.delivery.after(event, at: at),
            try update(message.id, from: message.delivery, to: after, reason: reason)
        else { return nil }
        if let ending = AuditEvent(ending: after, recipient: message.recipient) {
            try audit(ending)
        }
        return message.with(after)
    }
}

extension DeliveryOutcome {
    /// The word or code that log and store keep; nil for success. Never the server's own text,
    /// which may hold the recipient's address.
    var reason: String? {
        switch self {
        case .taken: nil
        case .refused(let code): "smtp-\(code)"
        case .failed(let reason): reason
        }
    }
}

extension AuditEvent {
    /// The record of a message's end; nil while it is on its way.
    fileprivate init?(ending delivery: Delivery, recipient: [UInt8]) {
        let attempt = Int64(delivery.attempts)
        switch delivery.state {
        case .queued, .sending, .waiting: return nil
        case .sent:
            self.init(.messageSent, subject: recipient, attempt: attempt)
        case .dead(.expired):
            self.init(
                .messageDead, subject: recipient, outcome: .deadlineExceeded,
                attempt: attempt)
        case .dead(.refused):
            self.init(
                .messageDead, subject: recipient, outcome: .permissionDenied,
                attempt: attempt)
        }
    }
}
