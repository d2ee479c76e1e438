import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// A stand-in for identity that records each notice once for each key, as the real service does.
final class RecordingNotices: AccountNoticesAPI {
    private struct State {
        var sent: [IdentityV1.TellRequest] = []
        var keys: Set<String> = []
        var calls = 0
        var failures: [ErrorCode] = []
    }

    private let state = Mutex(State())

    /// The notices received.
    var sent: [IdentityV1.TellRequest] { state.withLock { $0.sent } }
    /// The number of calls.
    var calls: Int { state.withLock { $0.calls } }

    /// Makes the next calls fail with these codes.
    func fail(_ codes: [ErrorCode]) { state.withLock { $0.failures = codes } }

    func tell(
        _ request: IdentityV1.TellRequest, _ context: CallContext
    ) async throws -> IdentityV1.TellResponse {
        try state.withLock { state in
            state.calls += 1
            if !state.failures.isEmpty { throw ServiceError(state.failures.removeFirst()) }
            guard let key = context.idempotencyKey else { throw ServiceError(.invalidArgument) }
            if state.keys.insert(key).inserted { state.sent.append(request) }
            return IdentityV1.TellResponse(mailed: true)
        }
    }
}
