import Contracts
import Messages
import RPC
import ServiceRuntime

@testable import SessionService

/// The session service as identity calls it. Between processes the connection identifies the
/// caller.
struct SessionsForIdentity: SessionsAPI {
    let session: SessionsHandler

    private func named(_ context: CallContext) -> CallContext {
        CallContext(
            application: "identity", deadline: context.deadline, metadata: context.metadata)
    }

    func endAccountSessions(
        _ request: SessionV1.EndAccountSessionsRequest, _ context: CallContext
    ) async throws -> SessionV1.EndAccountSessionsResponse {
        try await session.endAccountSessions(request, named(context))
    }

    func setAccountClaims(
        _ request: SessionV1.SetAccountClaimsRequest, _ context: CallContext
    ) async throws -> SessionV1.SetAccountClaimsResponse {
        try await session.setAccountClaims(request, named(context))
    }

    func createSession(
        _ request: SessionV1.CreateSessionRequest, _ context: CallContext
    ) async throws -> SessionV1.CreateSessionResponse { throw ServiceError(.permissionDenied) }

    func validateAccessToken(
        _ request: SessionV1.ValidateAccessTokenRequest, _ context: CallContext
    ) async throws -> SessionV1.ValidateAccessTokenResponse {
        try session.validateAccessToken(request, named(context))
    }

    func inspectSession(
        _ request: SessionV1.InspectSessionRequest, _ context: CallContext
    ) async throws -> SessionV1.InspectSessionResponse {
        try await session.inspectSession(request, named(context))
    }
}
