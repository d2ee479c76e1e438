import Contracts
import Messages
import RPC
import ServiceRuntime

/// An identity service that cannot be reached with locked accounts.
struct UnreachableSignInSignals: SignInSignalsAPI {
    func noteLock(
        _ request: IdentityV1.NoteLockRequest, _ context: CallContext
    ) async throws -> IdentityV1.NoteLockResponse { throw ServiceError(.unavailable) }
}
