import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// Takes a mail on (N-01): checked, sealed, on disk together with its audit record and its
/// idempotency key, and only then answered. Nothing here waits for a mail server.
struct EmailAcceptance: Sendable {
    let store: Store
    let randomness: any Randomness
    let keys: NotificationKeys

    /// The message's id: a new one, or, for a repeated call, the first one's.
    /// - Throws: `ServiceError`: what `EmailOrder` says, `rpc/invalid-argument` without an
    ///   idempotency key, `auth/idempotency-key-reused` for another request under a known one.
    func accept(
        _ request: NotificationV1.SendEmailRequest, _ context: CallContext
    ) async throws -> MessageID {
        let message = try message(request, context)
        return try await store.write { transaction in
            switch try transaction.accepted(call: message.call, fingerprint: message.fingerprint) {
            case .repeated(let id): return id
            case .mismatch: throw ServiceError(.idempotencyKeyReused)
            case .fresh:
                try transaction.insert(message)
                try transaction.audit(AuditEvent(.messageAccepted, subject: message.recipient))
                return message.id
            }
        }
    }

    private func message(
        _ request: NotificationV1.SendEmailRequest, _ context: CallContext
    ) throws -> AcceptedMessage {
        guard let key = context.idempotencyKey, (1...255).contains(key.utf8.count) else {
            throw ServiceError(
                .invalidArgument, fields: ["idempotency-key"],
                detail: "SendEmail needs an idempotency key of 1 to 255 bytes")
        }
        let order = try EmailOrder(request)
        let id = MessageID.drawn(from: randomness)
        let bytes = request.encoded()
        return AcceptedMessage(
            id: id,
            call: keys.call(
                application: context.application, method: NotificationsDescription.sendEmail.name,
                key: key),
            fingerprint: keys.fingerprint(bytes), recipient: keys.recipient(order.recipient),
            template: order.template, expiresAt: order.expiresAt,
            content: try keys.contents.seal(bytes, at: .content(of: id)))
    }
}
