import Contracts
import Messages
import RPC
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

extension OutboxHandler {
    /// Discards a message. A message that is being delivered or was sent is returned unchanged.
    func discardMessage(
        _ request: NotificationV1.DiscardMessageRequest, _ context: CallContext
    ) async throws -> NotificationV1.DiscardMessageResponse {
        try context.requireOperator()
        let id = try Self.id(request.messageId)
        let (message, isDone) = try await store.write(about: []) { transaction in
            let isDone = try transaction.discard(id, by: context.application)
            return (try transaction.presentSummary(of: id), isDone)
        }
        if isDone {
            delivery.log.recordDeletion()
            delivery.changes.publish([id])
        }
        return NotificationV1.DiscardMessageResponse(message: message)
    }

    /// Erases an account's messages and devices: the operator's call. It does the same as
    /// `AccountData.ForgetAccountData` for an account whose addresses are not known.
    func forgetAccount(
        _ request: NotificationV1.ForgetAccountRequest, _ context: CallContext
    ) async throws -> NotificationV1.ForgetAccountResponse {
        try context.requireAccountKeeper()
        guard let account = AccountID(text: request.accountId) else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        _ = try await accountData.forget(AccountDataSubject(account))
        return NotificationV1.ForgetAccountResponse()
    }

    /// Retries a dead message. A message that cannot be retried is returned unchanged.
    func retryMessage(
        _ request: NotificationV1.RetryMessageRequest, _ context: CallContext
    ) async throws -> NotificationV1.RetryMessageResponse {
        try context.requireOperator()
        let id = try Self.id(request.messageId)
        let (message, channel) = try await store.write(about: []) { transaction in
            let channel = try transaction.renew(id, by: context.application)
            return (try transaction.presentSummary(of: id), channel)
        }
        if let channel { delivery.wake(channel) }
        delivery.changes.publish(channel == nil ? [] : [id])
        return NotificationV1.RetryMessageResponse(message: message)
    }

    /// Returns one message with its failed attempts.
    func showMessage(
        _ request: NotificationV1.ShowMessageRequest, _ context: CallContext
    ) async throws -> NotificationV1.ShowMessageResponse {
        try context.requireOperator()
        let (id, now) = (try Self.id(request.messageId), time.now())
        return try await store.read { session in
            guard let message = try session.summary(of: id, at: now) else {
                throw ServiceError(.notFound, fields: ["message_id"])
            }
            return NotificationV1.ShowMessageResponse(
                message: message, failedTries: try session.failedTries(of: id))
        }
    }

    /// The minimum time between two items of a watcher's stream: two updates per second at most.
    private static let watchInterval: Duration = .milliseconds(500)

    /// Streams the counts of messages and the latest changes until the call ends.
    func watchMessages(
        _ request: NotificationV1.WatchMessagesRequest,
        _ items: OutgoingItems<NotificationV1.WatchMessagesItem>, _ context: CallContext
    ) async throws {
        try context.requireOperator()
        try await delivery.changes.watch { update in
            let now = time.now()
            let (counts, changed) = try await store.read { session in
                (
                    try session.messageCounts(),
                    try update.messages.compactMap { try session.summary(of: $0, at: now) }
                )
            }
            try await items.write(
                NotificationV1.WatchMessagesItem(
                    counts: counts, changes: changed, changesLeftOut: update.leftOut))
            try await time.sleep(for: Self.watchInterval)
        }
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
