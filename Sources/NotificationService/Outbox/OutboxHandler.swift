import Contracts
import Messages
import ServiceRuntime
import Storage

/// `postern.notification.v1.Outbox`: the operator's rpcs on messages (N-03), used by
/// `postern outbox`, and the erasure of an account.
struct OutboxHandler: OutboxService {
    let store: Store
    let keys: NotificationKeys
    let acceptance: MessageAcceptance
    let delivery: BackgroundDelivery
    let time: any Time

    var accountData: AccountDataHandler {
        AccountDataHandler(
            store: store, keys: keys, acceptance: acceptance, log: delivery.log)
    }

    static func id(_ text: String) throws(ServiceError) -> MessageID {
        guard let id = MessageID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["message_id"])
        }
        return id
    }
}

extension Transaction {
    /// The message, or `rpc/not-found`.
    func presentSummary(of id: MessageID) throws -> NotificationV1.MessageSummary {
        guard let message = try summary(of: id, at: at) else {
            throw ServiceError(.notFound, fields: ["message_id"])
        }
        return message
    }
}
