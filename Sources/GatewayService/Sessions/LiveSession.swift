import Contracts
import Messages
import RPC
import ServiceRuntime

extension SessionsAPI {
    /// The session and account of an access token, for calls that only the session's owner may
    /// make.
    /// - Throws: `auth/invalid-access-token` unless the token is valid now.
    func live(
        _ accessToken: String, _ context: CallContext
    ) async throws -> SessionV1.ValidateResponse {
        let validity = try await validate(
            SessionV1.ValidateRequest(accessToken: accessToken), context.onward())
        guard validity.valid else { throw ServiceError(.invalidAccessToken) }
        return validity
    }
}
