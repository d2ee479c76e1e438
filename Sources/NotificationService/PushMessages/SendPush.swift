import Contracts
import Cryptography
package import Messages
package import RPC
import ServiceRuntime
import Storage

extension PushMessagesHandler {
    /// Accepts one push message for each device that the account has at that time, all in one
    /// transaction, so that a crash between two devices neither loses a message nor sends it twice.
    /// - Throws: `rpc/invalid-argument` with the fields at fault, also without an idempotency key;
    ///   `auth/idempotency-key-reused` when the key was used for another request; store errors.
    package func sendPush(
        _ request: NotificationV1.SendPushRequest, _ context: CallContext
    ) async throws -> NotificationV1.SendPushResponse {
        let draft = try PushDraft(request, wording)
        let call = try call(request, context)
        let account = keys.account(draft.account)
        let taken = try await store.write { transaction in
            if let known = try transaction.pushCall(call) {
                return known.map { TakenMessage(id: $0) }
            }
            let taken = try transaction.devices(ofAccount: account).map { device in
                try take(draft.order(for: device.id), device, context, transaction)
            }
            try transaction.insert(call, messages: taken.map(\.id))
            return taken
        }
        acceptance.announce(.push, taken)
        return NotificationV1.SendPushResponse(messageIds: taken.map(\.id.text))
    }

    private func take(
        _ order: PushOrder, _ device: StoredDevice, _ context: CallContext,
        _ transaction: Transaction
    ) throws -> TakenMessage {
        let message = try acceptance.prepare(
            order, method: PushMessagesDescription.sendPush.name, part: device.id.text, context)
        return try acceptance.take(message, in: transaction)
    }

    private func call(
        _ request: NotificationV1.SendPushRequest, _ context: CallContext
    ) throws(ServiceError) -> PushCall {
        guard let key = context.idempotencyKey, (1...255).contains(key.utf8.count) else {
            throw ServiceError(
                .invalidArgument, fields: ["idempotency-key"],
                detail: "SendPush needs an idempotency key of 1 to 255 bytes")
        }
        return PushCall(
            hash: keys.call(
                application: context.application, method: PushMessagesDescription.sendPush.name,
                key: key),
            fingerprint: keys.fingerprint(request.encoded()))
    }
}

/// The idempotency record of a call to SendPush (G-25). It lists the messages, one for each device
/// at that time. A repeated call must not reach a device that was registered since.
struct PushCall: Sendable {
    /// The keyed hash of the call.
    let hash: [UInt8]
    /// The keyed hash of the request.
    let fingerprint: [UInt8]
}

extension Transaction {
    /// The messages of a repeated call; nil for a new one.
    /// - Throws: `auth/idempotency-key-reused` when the key was used for another request.
    func pushCall(_ call: PushCall) throws -> [MessageID]? {
        let found = try queryOne(
            "SELECT fingerprint, message_ids FROM push_call WHERE call_hash = ?",
            [.blob(call.hash)]
        ) { (fingerprint: try $0.blob(0), ids: try $0.blob(1)) }
        guard let found else { return nil }
        guard found.fingerprint == call.fingerprint else {
            throw ServiceError(.idempotencyKeyReused)
        }
        return stride(from: 0, to: found.ids.count, by: 8).compactMap { start in
            MessageID(key: found.ids[start...].prefix(8).reduce(0) { $0 << 8 | Int64($1) })
        }
    }

    /// Stores a call, and deletes some whose keys have expired.
    func insert(_ call: PushCall, messages: [MessageID]) throws {
        try purge("push_call") { rowsMax in
            try execute(
                """
                DELETE FROM push_call WHERE number IN (
                    SELECT number FROM push_call WHERE at_ms < ? ORDER BY at_ms LIMIT ?)
                """,
                [SQLValue(at - NotificationStore.keptFor), .integer(rowsMax)])
        }
        let ids = messages.flatMap { id in
            (0..<8).map { UInt8(truncatingIfNeeded: id.key >> (56 - $0 * 8)) }
        }
        try execute(
            "INSERT INTO push_call (call_hash, fingerprint, message_ids, at_ms) VALUES (?, ?, ?, ?)",
            [.blob(call.hash), .blob(call.fingerprint), .blob(ids), SQLValue(at)])
    }
}
