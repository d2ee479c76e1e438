import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import Storage

/// `postern.gateway.v1.BackendPush`: push messages of the app's own backend (N-02).
struct BackendPushHandler: BackendPushService, AccountCallsHandler {
    let store: Store
    let calls: AccountCalls
    /// The notification service, which knows the devices.
    let pushes: any PushMessagesAPI

    /// Sends a push message to the devices of the account that a backend names.
    ///
    ///     the call's key                     what is done
    ///     new                                checked, recorded with the time; then sent
    ///     known, with the same request       sent under the recorded time: notification knows it
    ///     known, with another request        auth/idempotency-key-reused
    ///
    /// The record comes first, so that a call that was cut off after it, by a crash or a lost
    /// answer, is completed by its repeat, and sent once. The trail names the backend from then on
    /// also if notification was away and the backend gave up.
    ///
    /// Notification remembers keys for longer than the 24 hours of a repeat. So its key has the time
    /// of the record too: a backend that uses a key of two days ago, for another message or for the
    /// same one, makes a new call there as it does here.
    func sendPushMessage(
        _ request: GatewayV1.SendPushMessageRequest, _ call: AccountCall
    ) async throws -> GatewayV1.SendPushMessageResponse {
        // What notification would refuse must not use up the key.
        try request.requireBounds()
        guard let repeatable = call.repeatable else {
            throw ServiceError(.invalidArgument, fields: [Metadata.Key.idempotencyKey])
        }
        let event = AuditEvent(.pushSentByBackend, account: call.account.key)
            .from(call.origin).by(call.backend?.actor)
        let first = try await store.write(about: [.account(call.account)]) { transaction in
            // Also of a repeat: a deleted account has no devices, and notification no trace of it.
            guard try transaction.mayNotify(call.account) else {
                throw ServiceError(.notFound, fields: ["call.account_id"])
            }
            if let known = try transaction.storedResponse(of: repeatable) { return known }
            let response = IdentityV1.StoredResponse(
                account: call.account.key, writtenAtMs: transaction.at.milliseconds)
            try transaction.audit(event)
            try transaction.remember(repeatable, response)
            return response
        }
        let key = Self.key(of: repeatable, at: first.writtenAtMs)
        let sent = try await pushes.sendPush(
            request.order(for: call.account), call.context.onward(idempotencyKey: key))
        return GatewayV1.SendPushMessageResponse(messageIds: sent.messageIds)
    }

    /// The key of the call to notification.
    /// - Parameter recordedAt: when the call was recorded, in milliseconds since 1970.
    private static func key(of call: RepeatableCall, at recordedAt: Int64) -> String {
        Hex.encode(
            SHA256.hash(
                DelimitedParts.joined([
                    Array("backend push".utf8), call.key, recordedAt.bigEndianBytes,
                ])))
    }
}

extension GatewayV1.SendPushMessageRequest: BackendRequest {}

extension GatewayV1.SendPushMessageRequest {
    /// Requires what notification requires of a message.
    /// - Throws: `rpc/invalid-argument` with the field.
    fileprivate func requireBounds() throws(ServiceError) {
        let text = PushText(
            title: title, body: body, data: data.map { .init(name: $0.key, value: $0.value) },
            collapseKey: collapseKey)
        try text.requireWords()
        try text.requireRest()
        guard expiresAtMs >= 0 else {
            throw ServiceError(.invalidArgument, fields: ["expires_at_ms"])
        }
    }

    /// The order for notification.
    fileprivate func order(for account: AccountID) -> NotificationV1.SendPushRequest {
        NotificationV1.SendPushRequest(
            accountId: account.text, title: title, body: body,
            data: data.map { NotificationV1.Variable(name: $0.key, value: $0.value) },
            collapseKey: collapseKey, expiresAtMs: expiresAtMs)
    }
}
