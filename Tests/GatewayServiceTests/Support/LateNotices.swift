import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// The connection from session to identity. Each calls the other, so one is created first.
final class LateNotices: AccountNoticesAPI {
    private let receiver = Mutex<(any AccountNoticesAPI)?>(nil)

    /// Connects to `receiver`.
    func connect(to receiver: any AccountNoticesAPI) {
        self.receiver.withLock { $0 = receiver }
    }

    /// Disconnects: calls fail as if the peer were down.
    func disconnect() { receiver.withLock { $0 = nil } }

    func tell(
        _ request: IdentityV1.TellRequest, _ context: CallContext
    ) async throws -> IdentityV1.TellResponse {
        guard let receiver = receiver.withLock({ $0 }) else { throw ServiceError(.unavailable) }
        return try await receiver.tell(request, context)
    }
}
