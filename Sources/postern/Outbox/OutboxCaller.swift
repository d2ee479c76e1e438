import Contracts
import Messages
import RPC
import ServiceRuntime

/// Calls the notification service about its messages, and prints the responses.
struct OutboxCaller: Sendable {
    /// Number of messages in one request.
    private static let pageSize = 500
    /// Timeout of a watch.
    private static let watchMax = Duration.seconds(24 * 3_600)

    private let caller: OperatorCaller
    private var outbox: OutboxClient { OutboxClient(caller.client) }

    init(_ path: String) throws { caller = try OperatorCaller(path, service: "notification") }

    /// Fetches pages until `limit` messages are printed or there are no more.
    func list(_ request: NotificationV1.ListMessagesRequest, limit: Int) async throws {
        var request = request
        var left = max(0, limit)
        try await telling {
            repeat {
                request.pageSize = UInt32(clamping: max(1, min(left, Self.pageSize)))
                let page = try await outbox.listMessages(request, context)
                for message in page.messages.prefix(left) { try Screen.item(message.line) }
                left -= page.messages.count
                request.page = page.nextPage
            } while left > 0 && !request.page.isEmpty
        }
    }

    func show(_ message: String) async throws {
        try await telling {
            let answer = try await outbox.showMessage(
                NotificationV1.ShowMessageRequest(messageId: message), context)
            for line in [answer.message?.line].compactMap({ $0 }) + answer.failedTries.map(\.line) {
                Screen.line(line)
            }
        }
    }

    func retry(_ messages: [String]) async throws {
        try await telling {
            for message in messages {
                let answer = try await outbox.retryMessage(
                    NotificationV1.RetryMessageRequest(messageId: message), context)
                Screen.line(answer.message?.line ?? message)
            }
        }
    }

    func discard(_ messages: [String]) async throws {
        try await telling {
            for message in messages {
                let answer = try await outbox.discardMessage(
                    NotificationV1.DiscardMessageRequest(messageId: message), context)
                Screen.line(answer.message?.line ?? message)
            }
        }
    }

    func watch() async throws {
        try await telling {
            let items = outbox.watchMessages(
                NotificationV1.WatchMessagesRequest(), caller.client.context(timeout: Self.watchMax)
            )
            for try await item in items {
                for line in item.lines { try Screen.item(line) }
            }
        }
    }

    private var context: CallContext { caller.context }

    /// A watch that Ctrl-C has cancelled prints no error.
    private func telling(_ body: () async throws -> Void) async throws {
        try await OperatorCaller.telling {
            do {
                try await body()
            } catch let error as ServiceError where error.code == .cancelled && Task.isCancelled {
                return
            } catch is CancellationError {
                return
            }
        }
    }
}
