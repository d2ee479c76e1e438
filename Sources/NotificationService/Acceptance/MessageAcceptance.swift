import CoreMetrics
import Cryptography
import Logging
package import RPC
package import ServiceRuntime
import Storage

/// Takes messages on, of any channel (N-01, N-03): checked, sealed, on disk together with the
/// audit record and the idempotency key, and only then answered. Nothing here waits for a provider.
///
/// An rpc makes its order, which checks the request, and calls `accept`. One that brings several
/// messages, as a push to several devices does, prepares each and takes all in one transaction.
package struct MessageAcceptance: Sendable {
    private static let keyBytes = 1...255

    let store: Store
    let keys: NotificationKeys
    let ids: MessageIDs
    let turns: RecipientRateLimiter
    /// Wake the workers.
    let alarms: DeliverySignals
    let changes: MessageChanges
    let upkeep: OutboxUpkeep
    let logger: Logger
    let dropped = Counter(
        label: "messages_dropped", dimensions: [("reason", RecipientRateLimiter.reason)])

    /// The message's id: a new one, or, for a repeated call, the first one's.
    /// - Parameter method: The rpc's full name.
    /// - Throws: `ServiceError`: `rpc/invalid-argument` without an idempotency key,
    ///   `auth/idempotency-key-reused` for another request under a known one.
    package func accept(
        _ order: some StoredOrder, method: String, _ context: CallContext
    ) async throws -> MessageID {
        let message = try prepare(order, method: method, context)
        let taken = try await store.write { try take(message, in: $0) }
        if taken.isDropped {
            upkeep.noteEnd()
            dropped.increment()
            logger.warning(
                "notification.message.dropped",
                "a message was dropped: too many are queued for its recipient",
                fields: [
                    .messageID: .text(taken.id.text), .reason: .text(RecipientRateLimiter.reason),
                ])
        }
        announce(message.channel, [taken])
        return taken.id
    }

    /// A message that is ready to be taken.
    /// - Parameter part: Which of the call's messages, where it brings several: the same at each
    ///   repeat of the call.
    /// - Throws: as `accept`.
    package func prepare(
        _ order: some StoredOrder, method: String, part: String = "", _ context: CallContext
    ) throws -> AcceptedMessage {
        guard let key = context.idempotencyKey, Self.keyBytes.contains(key.utf8.count) else {
            throw ServiceError(
                .invalidArgument, fields: ["idempotency-key"],
                detail: "\(method) needs an idempotency key of 1 to 255 bytes")
        }
        let id = ids.next()
        let bytes = order.storedBytes
        return AcceptedMessage(
            id: id, channel: type(of: order).channel, lane: order.lane,
            call: keys.call(
                application: context.application, method: method, key: key, part: part),
            fingerprint: keys.fingerprint(bytes), recipient: keys.recipient(order.recipientKey),
            maskedRecipient: order.maskedRecipient, account: order.account.map(keys.account),
            template: order.templateName, expiresAt: order.expiresAt, holdsCode: order.holdsCode,
            content: try keys.contents.seal(bytes, at: .content(of: id)))
    }

    /// Takes a prepared message on. The caller hands what it returns to `announce` after the commit.
    /// - Returns: it, or, for a repeated call, the first one.
    /// - Throws: `auth/idempotency-key-reused`, or `rpc/invalid-argument` for a code without an end
    ///   of its own; both undo the flow.
    func take(
        _ message: AcceptedMessage, in transaction: Transaction
    ) throws -> TakenMessage {
        switch try transaction.insert(message) {
        case .repeated(let id): return TakenMessage(id: id)
        case .mismatch: throw ServiceError(.idempotencyKeyReused)
        case .fresh: break
        }
        // Only of a new one: a repeat has its answer, however late it comes.
        guard message.hasNeededEnd(at: transaction.at) else {
            throw ServiceError(
                .invalidArgument, fields: ["expires_at_ms"],
                detail: "a code needs an end, within 24 hours")
        }
        let turn = turns.turn(
            of: message.recipient, message.lane, hasEnd: message.mayBeDropped, at: transaction.at)
        guard let turn else {
            try transaction.drop(message.id, reason: RecipientRateLimiter.reason)
            try transaction.audit(
                AuditEvent(
                    .messageDead, subject: message.recipient, outcome: .tooManyRequests))
            return TakenMessage(id: message.id, isDropped: true)
        }
        // Nearly always it is due at once, as it was inserted.
        if turn > transaction.at { try transaction.postpone(message.id, until: turn) }
        try transaction.audit(AuditEvent(.messageAccepted, subject: message.recipient))
        return TakenMessage(
            id: message.id,
            use: RecipientRateLimiter.Use(
                recipient: message.recipient, lane: message.lane, at: transaction.at))
    }

    /// Notes messages that were taken and committed in the turns of their recipients, and wakes the
    /// channel's worker and those who watch.
    func announce(_ channel: Channel, _ taken: [TakenMessage]) {
        for use in taken.compactMap(\.use) { turns.note(use) }
        alarms[channel].wake()
        changes.note(taken.map(\.id))
    }
}
