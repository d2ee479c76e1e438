import Contracts
import Messages
import RPC
import ServiceRuntime
import SessionService

/// The session service as identity calls it. Between processes the connection identifies the
/// caller.
struct SessionsForIdentity: SessionsAPI {
    let session: SessionsHandler

    private func named(_ context: CallContext) -> CallContext {
        CallContext(
            application: "identity", deadline: context.deadline, metadata: context.metadata)
    }

    func endAccount(
        _ request: SessionV1.EndAccountRequest, _ context: CallContext
    ) async throws -> SessionV1.EndAccountResponse {
        try await session.endAccount(request, named(context))
    }

    func create(
        _ request: SessionV1.CreateRequest, _ context: CallContext
    ) async throws -> SessionV1.CreateResponse { throw ServiceError(.permissionDenied) }

    func refresh(
        _ request: SessionV1.RefreshRequest, _ context: CallContext
    ) async throws -> SessionV1.RefreshResponse { throw ServiceError(.permissionDenied) }

    func validate(
        _ request: SessionV1.ValidateRequest, _ context: CallContext
    ) async throws -> SessionV1.ValidateResponse { throw ServiceError(.permissionDenied) }

    func inspect(
        _ request: SessionV1.InspectRequest, _ context: CallContext
    ) async throws -> SessionV1.InspectResponse { throw ServiceError(.permissionDenied) }

    func signOut(
        _ request: SessionV1.SignOutRequest, _ context: CallContext
    ) async throws -> SessionV1.SignOutResponse { throw ServiceError(.permissionDenied) }

    func keySet(
        _ request: SessionV1.KeySetRequest, _ context: CallContext
    ) async throws -> SessionV1.KeySetResponse { throw ServiceError(.permissionDenied) }
}
