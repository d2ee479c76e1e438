import Contracts
import Messages
import RPC
import ServiceRuntime
import Synchronization

/// The way from session to identity: each calls the other, so one is there before the other.
final class LateNotices: AccountNoticesAPI {
    private let receiver = Mutex<(any AccountNoticesAPI)?>(nil)

    /// Leads to `receiver` from now on.
    func connect(to receiver: any AccountNoticesAPI) {
        self.receiver.withLock { $0 = receiver }
    }

    /// As a peer that is down, as long as there is none.
    func disconnect() { receiver.withLock { $0 = nil } }

    func tell(
        _ request: IdentityV1.TellRequest, _ context: CallContext
    ) async throws -> IdentityV1.TellResponse {
        guard let receiver = receiver.withLock({ $0 }) else { throw ServiceError(.unavailable) }
        return try await receiver.tell(request, context)
    }
}
