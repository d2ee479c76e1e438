import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// An identity service that keeps what it is told, once for each key, as the real one does.
final class RecordingNotices: AccountNoticesAPI {
    private struct State {
        var told: [IdentityV1.TellRequest] = []
        var keys: Set<String> = []
        var calls = 0
        var failures: [ErrorCode] = []
    }

    private let state = Mutex(State())

    /// What it was told.
    var told: [IdentityV1.TellRequest] { state.withLock { $0.told } }
    /// How often it was called.
    var calls: Int { state.withLock { $0.calls } }

    /// The next calls fail with these.
    func fail(_ codes: [ErrorCode]) { state.withLock { $0.failures = codes } }

    func tell(
        _ request: IdentityV1.TellRequest, _ context: CallContext
    ) async throws -> IdentityV1.TellResponse {
        try state.withLock { state in
            state.calls += 1
            if !state.failures.isEmpty { throw ServiceError(state.failures.removeFirst()) }
            guard let key = context.idempotencyKey else { throw ServiceError(.invalidArgument) }
            if state.keys.insert(key).inserted { state.told.append(request) }
            return IdentityV1.TellResponse(mailed: true)
        }
    }
}
