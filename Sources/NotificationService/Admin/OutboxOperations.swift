import CallRecords
import Contracts
import Logging
package import Messages
package import RPC
import ServiceRuntime
import Storage

/// What the operator sees and does of messages (N-03): `postern outbox`.
package struct OutboxOperations: OutboxService {
    /// Between two items of a watcher: a busy service is told of twice a second.
    private static let watchInterval: Duration = .milliseconds(500)
    /// Messages that one transaction forgets.
    private static let forgottenAtOnce = 500

    let store: Store
    let keys: NotificationKeys
    let alarms: DeliverySignals
    let changes: MessageChanges
    let upkeep: OutboxUpkeep
    let traces: [any AccountTraces]
    let time: any Time
    let logger: Logger

    package func listMessages(
        _ request: NotificationV1.ListMessagesRequest, _ context: CallContext
    ) async throws -> NotificationV1.ListMessagesResponse {
        try context.requireOperator()
        let (filter, now) = (try MessageFilter(request), time.now())
        let page = try await store.read { try $0.messages(filter, at: now) }
        return NotificationV1.ListMessagesResponse(
            messages: page.messages, nextPage: page.next?.text ?? "")
    }

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
        // What was removed stands in the log until then. The call can be repeated.
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
    /// The message, which must be here.
    fileprivate func presentSummary(of id: MessageID) throws -> NotificationV1.MessageSummary {
        guard let message = try summary(of: id, at: at) else {
            throw ServiceError(.notFound, fields: ["message_id"])
        }
        return message
    }
}
