import Contracts
import Cryptography
package import Messages
package import RPC
import ServiceRuntime
package import Storage

/// Accepts push messages (N-02): one message for each device that the account has at that time, all
/// in one transaction, so that a crash between two devices neither loses a message nor sends it
/// twice.
package struct PushMessages: PushMessagesService {
    private let store: Store
    private let keys: NotificationKeys
    private let acceptance: MessageAcceptance
    private let wording: any SMSAndPushWording

    /// A handler that accepts messages through `acceptance`.
    package init(
        store: Store, keys: NotificationKeys, acceptance: MessageAcceptance,
        wording: any SMSAndPushWording
    ) {
        self.store = store
        self.keys = keys
        self.acceptance = acceptance
        self.wording = wording
    }

    /// Accepts one push message for each of the account's devices.
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
