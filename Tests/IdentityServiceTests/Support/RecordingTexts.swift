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
        var calls = 0
        var failures: [ErrorCode] = []
        var lost = 0
    }

    private let state = Mutex(State())

    /// The accepted messages.
    var texts: [NotificationV1.SendTextRequest] { state.withLock { $0.texts } }

    /// The number of calls.
    var calls: Int { state.withLock { $0.calls } }

    /// The answers of the next calls are lost, after their messages were accepted.
    func loseAnswers(_ count: Int) { state.withLock { $0.lost = count } }

    /// The next calls fail with these codes.
    func fail(_ codes: [ErrorCode]) { state.withLock { $0.failures = codes } }

    func sendText(
        _ request: NotificationV1.SendTextRequest, _ context: CallContext
    ) async throws -> NotificationV1.SendTextResponse {
        try state.withLock { state in
            state.calls += 1
            if !state.failures.isEmpty { throw ServiceError(state.failures.removeFirst()) }
            guard let key = context.idempotencyKey else { throw ServiceError(.invalidArgument) }
            if state.keys.insert(key).inserted { state.texts.append(request) }
            if state.lost > 0 {
                state.lost -= 1
                throw ServiceError(.unavailable)
            }
        }
        return .init(messageId: "msg_0000000000002")
    }
}
