import CoreMetrics
import Cryptography
package import Logging
import RPC
package import ServiceRuntime
package import Storage
import Synchronization

/// Accepts messages of any channel (N-01, N-03). A message is validated, sealed and written to disk
/// together with the audit record and the idempotency key; only then does the call return. Nothing
/// here waits for a provider.
///
/// An rpc handler makes an order, which validates the request, and calls `accept`. A handler that
/// sends several messages, for example a push to several devices, prepares each and takes all in
/// one transaction.
package struct MessageAcceptance: Sendable {
    /// The result of accepting a message.
    struct Taken: Sendable {
        let id: MessageID
        /// The recipient's queue was full.
        var isDropped = false
        /// What `RecipientRateLimiter` must record after the commit; nil if nothing was queued.
        var use: RecipientRateLimiter.Use?
    }

    private static let keyBytes = 1...255

    private let store: Store
    private let keys: NotificationKeys
    private let ids: IDGenerator
    private let limiter: RecipientRateLimiter
    private let delivery: BackgroundDelivery
    private let logger: Logger
    private let dropped = Counter(
        label: "messages_dropped",
        dimensions: [("reason", WithdrawalReason.recipientLimit.rawValue)])

    /// Accepts messages into `store`, from which `delivery` delivers them.
    package init(
        settings: NotificationSettings, store: Store, keys: NotificationKeys,
        delivery: BackgroundDelivery, time: any Time, randomness: any Randomness, logger: Logger
    ) {
        self.store = store
        self.keys = keys
        ids = IDGenerator(time: time, randomness: randomness)
        limiter = RecipientRateLimiter(
            burst: settings.recipientBurst, interval: settings.recipientInterval)
        self.delivery = delivery
        self.logger = logger
    }

    /// Accepts one message.
    /// - Parameter method: The rpc's full name.
    /// - Returns: the message's id; for a repeated call that of the first message.
    /// - Throws: `ServiceError`: `rpc/invalid-argument` without an idempotency key or for a message
    ///   that does not expire as it must, `auth/idempotency-key-reused` when the key was used
    ///   for another request; store errors.
    func accept(
        _ order: some StoredOrder, method: String, _ context: CallContext
    ) async throws -> MessageID {
        let message = try prepare(order, method: method, context)
        let taken = try await store.write(about: []) { try take(message, in: $0) }
        if taken.isDropped {
            delivery.log.recordDeletion()
            dropped.increment()
            logger.warning(
                "notification.message.dropped",
                "a message was dropped: too many are queued for its recipient",
                fields: [
                    .messageID: .text(taken.id.text),
                    .reason: .text(WithdrawalReason.recipientLimit.rawValue),
                ])
        }
        announce(message.channel, [taken])
        return taken.id
    }

    /// The key of a call that needs one.
    /// - Throws: `rpc/invalid-argument` without a key.
    static func idempotencyKey(
        of method: String, _ context: CallContext
    ) throws(ServiceError) -> String {
        guard let key = context.idempotencyKey, keyBytes.contains(key.utf8.count) else {
            throw ServiceError(
                .invalidArgument, fields: ["idempotency-key"],
                detail: "\(method) needs an idempotency key of 1 to 255 bytes")
        }
        return key
    }

    /// Makes a message that is ready for `take`.
    /// - Parameter part: Distinguishes the messages of a call that sends several. It must be the
    ///   same when the call is repeated.
    /// - Throws: `rpc/invalid-argument` without an idempotency key; `SealedBoxError`.
    func prepare(
        _ order: some StoredOrder, method: String, part: String = "", _ context: CallContext
    ) throws -> AcceptedMessage {
        let key = try Self.idempotencyKey(of: method, context)
        let id = ids.next()
        let bytes = order.storedBytes
        return AcceptedMessage(
            id: id, channel: type(of: order).channel, lane: order.lane,
            call: keys.call(
                application: context.application, method: method, key: key, part: part),
            fingerprint: keys.fingerprint(bytes), recipient: keys.recipient(order.recipientKey),
            maskedRecipient: order.maskedRecipient, account: order.account.map(keys.account),
            template: order.templateName, expiresAt: order.expiresAt, mustExpire: order.mustExpire,
            content: try keys.contents.seal(bytes, at: .content(of: id)))
    }

    /// Inserts a prepared message. After the commit the caller must pass the result to `announce`.
    /// - Returns: the new message; for a repeated call the first one.
    /// - Throws: `auth/idempotency-key-reused`, or `rpc/invalid-argument` for a message that does
    ///   not expire as it must. Both roll the transaction back.
    func take(_ message: AcceptedMessage, in transaction: Transaction) throws -> Taken {
        if let first = try transaction.insert(message) { return Taken(id: first) }
        // Checked for a new message only: a repeated call gets its answer however late it comes.
        guard message.expiresInTime(at: transaction.at) else {
            throw ServiceError(
                .invalidArgument, fields: ["expires_at_ms"],
                detail: "this message must expire within 24 hours")
        }
        let key = RecipientRateLimiter.Key(message.recipient, message.lane, message.template)
        let due = limiter.dueTime(of: key, isBounded: message.mayBeDropped, at: transaction.at)
        let detail = AuditDetail.message(message.channel, message.template)
        guard let due else {
            try transaction.drop(message.id, reason: .recipientLimit)
            try transaction.audit(
                AuditEvent(
                    .messageDead, subject: message.recipient, outcome: .tooManyRequests,
                    detail: detail))
            return Taken(id: message.id, isDropped: true)
        }
        // Usually it is due at once, as inserted.
        if due > transaction.at { try transaction.postpone(message.id, until: due) }
        try transaction.audit(
            AuditEvent(.messageAccepted, subject: message.recipient, detail: detail))
        return Taken(
            id: message.id, use: RecipientRateLimiter.Use(key: key, at: transaction.at))
    }

    /// Later messages do not wait for those that were ended unsent, by a committed transaction.
    func giveBack(_ keys: [RecipientRateLimiter.Key]) {
        for key in keys { limiter.giveBack(key) }
    }

    /// Counts committed messages against their recipients' rate limits, and wakes the channel's
    /// worker and the watchers.
    func announce(_ channel: Channel, _ taken: [Taken]) {
        for use in taken.compactMap(\.use) { limiter.record(use) }
        delivery.wake(channel)
        delivery.changes.publish(taken.map(\.id))
    }
}

extension MessageAcceptance {
    /// Generates message ids that increase with time. Rows that are inserted together are then
    /// adjacent, so a commit of 256 messages writes a few pages instead of one per message, and the
    /// newest messages are last.
    ///
    /// An id has 41 bits of milliseconds since 2025 (until 2094) and 22 bits that start at a random
    /// value in each millisecond and count up. An id reveals the time of acceptance, which is
    /// harmless: only the operator looks messages up by id.
    final class IDGenerator: Sendable {
        /// 2025-01-01T00:00:00Z.
        private static let epoch = Timestamp(milliseconds: 1_735_689_600_000)
        private static let tailBits: Int64 = 22
        /// The random start leaves the upper half of the tail for counting up.
        private static let startBits: UInt64 = 21

        private let last = Mutex<Int64>(0)
        private let time: any Time
        private let randomness: any Randomness

        init(time: any Time, randomness: any Randomness) {
            self.time = time
            self.randomness = randomness
        }

        /// An id that no other message of this store has. If the clock goes back, it counts up from
        /// the last one. A transaction that is run again takes other ids and skips the first ones.
        func next() -> MessageID {
            let since = max(0, (time.now() - Self.epoch).milliseconds)
            let start = Int64(randomness.integer() >> (64 - Self.startBits))
            let candidate = min(since, Int64.max >> Self.tailBits) << Self.tailBits | start
            let key = last.withLock { last in
                // In the same millisecond or before it: the next number.
                last = candidate >> Self.tailBits > last >> Self.tailBits ? candidate : last &+ 1
                return last
            }
            guard let id = MessageID(key: key) else { preconditionFailure("ids end in 2094") }
            return id
        }
    }
}
