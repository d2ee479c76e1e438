import Contracts
import Logging
package import Messages
package import RPC
import ServiceRuntime
import Storage

/// The operator's rpcs on messages (N-03), used by `postern outbox`.
package struct OutboxOperations: OutboxService {
    /// The minimum time between two items of a watcher's stream: two updates per second at most.
    private static let watchInterval: Duration = .milliseconds(500)
    /// Messages erased in one transaction.
    private static let forgottenAtOnce = 500

    let store: Store
    let keys: NotificationKeys
    let alarms: DeliverySignals
    let changes: MessageChanges
    let upkeep: OutboxUpkeep
    let traces: [any AccountTraces]
    let time: any Time
    let logger: Logger

    /// Lists messages, the newest first.
    /// - Throws: `rpc/permission-denied` unless the caller is the operator; `rpc/invalid-argument`
    ///   with the fields at fault; store errors.
    package func listMessages(
        _ request: NotificationV1.ListMessagesRequest, _ context: CallContext
    ) async throws -> NotificationV1.ListMessagesResponse {
        try context.requireOperator()
        let (filter, now) = (try MessageFilter(request), time.now())
        let page = try await store.read { try $0.messages(filter, at: now) }
        return NotificationV1.ListMessagesResponse(
            messages: page.messages, nextPage: page.next?.text ?? "")
    }

    /// Returns one message with its failed attempts.
    /// - Throws: `rpc/permission-denied` unless the caller is the operator; `rpc/invalid-argument`
    ///   for a malformed id; `rpc/not-found`; store errors.
    package func showMessage(
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

    /// Retries a dead message. A message that cannot be retried is returned unchanged.
    /// - Throws: as `showMessage`.
    package func retryMessage(
        _ request: NotificationV1.RetryMessageRequest, _ context: CallContext
    ) async throws -> NotificationV1.RetryMessageResponse {
        try context.requireOperator()
        let id = try Self.id(request.messageId)
        let (message, channel) = try await store.write { transaction in
            let channel = try transaction.renew(id)
            return (try transaction.presentSummary(of: id), channel)
        }
        if let channel { alarms[channel].wake() }
        changes.note(channel == nil ? [] : [id])
        return NotificationV1.RetryMessageResponse(message: message)
    }

    /// Discards a message. A message that is being delivered or was sent is returned unchanged.
    /// - Throws: as `showMessage`.
    package func discardMessage(
        _ request: NotificationV1.DiscardMessageRequest, _ context: CallContext
    ) async throws -> NotificationV1.DiscardMessageResponse {
        try context.requireOperator()
        let id = try Self.id(request.messageId)
        let (message, isDone) = try await store.write { transaction in
            let isDone = try transaction.discard(id)
            return (try transaction.presentSummary(of: id), isDone)
        }
        if isDone {
            upkeep.noteEnd()
            changes.note([id])
        }
        return NotificationV1.DiscardMessageResponse(message: message)
    }

    /// Streams the counts of messages and the latest changes until the call ends.
    /// - Throws: `rpc/permission-denied` unless the caller is the operator; store errors; an error
    ///   when the call is over.
    package func watchMessages(
        _ request: NotificationV1.WatchMessagesRequest,
        _ items: OutgoingItems<NotificationV1.WatchMessagesItem>, _ context: CallContext
    ) async throws {
        try context.requireOperator()
        try await changes.watch { news in
            let now = time.now()
            let (counts, changed) = try await store.read { session in
                (
                    try session.messageCounts(),
                    try news.messages.compactMap { try session.summary(of: $0, at: now) }
                )
            }
            try await items.write(
                NotificationV1.WatchMessagesItem(
                    counts: counts, changes: changed, changesLeftOut: news.leftOut))
            try await time.sleep(for: Self.watchInterval)
        }
    }

    /// Erases an account's messages and other data.
    /// - Throws: `rpc/permission-denied` unless the caller is identity or the operator;
    ///   `rpc/invalid-argument` for a malformed account id; `rpc/unavailable` when a reader or a
    ///   backup holds the store's log; other store errors. The call can be repeated.
    package func forgetAccount(
        _ request: NotificationV1.ForgetAccountRequest, _ context: CallContext
    ) async throws -> NotificationV1.ForgetAccountResponse {
        try context.requireAccountKeeper()
        guard let account = AccountID(text: request.accountId) else {
            throw ServiceError(.invalidArgument, fields: ["account_id"])
        }
        let (hash, traces) = (keys.account(account), traces)
        while try await store.write({ transaction in
            try transaction.forgetMessages(ofAccount: hash, limit: Self.forgottenAtOnce)
        }) == Self.forgottenAtOnce {}
        try await store.write { transaction in
            for trace in traces { try trace.forget(account, hash: hash, in: transaction) }
            try transaction.audit(AuditEvent(.messagesForgotten, account: account.key))
        }
        // Until then the deleted data remains in the log. The call can be repeated.
        try await upkeep.wipe()
        return NotificationV1.ForgetAccountResponse()
    }

    private static func id(_ text: String) throws(ServiceError) -> MessageID {
        guard let id = MessageID(text: text) else {
            throw ServiceError(.invalidArgument, fields: ["message_id"])
        }
        return id
    }
}

extension Transaction {
    /// The message, or `rpc/not-found`.
    fileprivate func presentSummary(of id: MessageID) throws -> NotificationV1.MessageSummary {
        guard let message = try summary(of: id, at: at) else {
            throw ServiceError(.notFound, fields: ["message_id"])
        }
        return message
    }
}
