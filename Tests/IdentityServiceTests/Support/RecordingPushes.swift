import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// A notification service that accepts a push message for each device of an account, and answers a
/// repeat of a call as it answered the first, also if devices have come since (N-03).
final class RecordingPushes: PushMessagesAPI {
    private struct State {
        /// The sessions of each account's devices.
        var devices: [String: [String]] = [:]
        var answers: [String: [String]] = [:]
        var pushes: [NotificationV1.SendPushRequest] = []
        var calls = 0
        var failures: [ErrorCode] = []
        var lost = 0
    }

    private let state = Mutex(State())

    /// The accepted messages, each as its request.
    var pushes: [NotificationV1.SendPushRequest] { state.withLock { $0.pushes } }
    /// The number of calls.
    var calls: Int { state.withLock { $0.calls } }

    /// From now on the account has another device.
    func register(_ account: String, session: String = "ses_0000000000001") {
        state.withLock { $0.devices[account, default: []].append(session) }
    }

    /// From now on the account has no device.
    func unregister(_ account: String) {
        state.withLock { $0.devices[account] = nil }
    }

    /// The next calls fail with these codes.
    func fail(_ codes: [ErrorCode]) { state.withLock { $0.failures = codes } }

    /// The answers of the next calls are lost, after their messages were accepted.
    func loseAnswers(_ count: Int) { state.withLock { $0.lost = count } }

    func sendPush(
        _ request: NotificationV1.SendPushRequest, _ context: CallContext
    ) async throws -> NotificationV1.SendPushResponse {
        try state.withLock { state in
            state.calls += 1
            if !state.failures.isEmpty { throw ServiceError(state.failures.removeFirst()) }
            guard let key = context.idempotencyKey else { throw ServiceError(.invalidArgument) }
            let first = state.answers[key]
            let devices = state.devices[request.accountId, default: []]
                .filter { $0 != request.exceptSessionId }
            let ids = first ?? devices.indices.map { "msg_\(state.pushes.count + 1 + $0)" }
            if first == nil { state.pushes += ids.map { _ in request } }
            state.answers[key] = ids
            if state.lost > 0 {
                state.lost -= 1
                throw ServiceError(.unavailable)
            }
            return .init(messageIds: ids)
        }
    }
}
