import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// A notification service that records the text messages to send, once for each key.
final class RecordingTexts: TextMessagesAPI {
    private struct State {
        var texts: [NotificationV1.SendTextRequest] = []
        var keys: Set<String> = []
        var failures: [ErrorCode] = []
    }

    private let state = Mutex(State())

    /// The accepted messages.
    var texts: [NotificationV1.SendTextRequest] { state.withLock { $0.texts } }

    /// The next calls fail with these codes.
    func fail(_ codes: [ErrorCode]) { state.withLock { $0.failures = codes } }

    func sendText(
        _ request: NotificationV1.SendTextRequest, _ context: CallContext
    ) async throws -> NotificationV1.SendTextResponse {
        try state.withLock { state in
            if !state.failures.isEmpty { throw ServiceError(state.failures.removeFirst()) }
            guard let key = context.idempotencyKey else { throw ServiceError(.invalidArgument) }
            if state.keys.insert(key).inserted { state.texts.append(request) }
        }
        return .init(messageId: "msg_0000000000002")
    }
}
