import Contracts
import Messages
import RPC
import ServiceRuntime

extension SessionsAPI {
    /// Whose session an access token is of, for what only its owner may ask.
    /// - Throws: `auth/invalid-access-token` unless the token is good now.
    func live(
        _ accessToken: String, _ context: CallContext
    ) async throws -> SessionV1.ValidateResponse {
        let validity = try await validate(
            SessionV1.ValidateRequest(accessToken: accessToken), context.onward())
        guard validity.valid else { throw ServiceError(.invalidAccessToken) }
        return validity
    }
}
