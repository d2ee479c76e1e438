import Contracts
import Messages
import RPC

extension ConsentsHandler {
    /// G-23: what the account has agreed to, and what the operator asks for.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`.
    func getConsents(
        _ request: GatewayV1.GetConsentsRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetConsentsResponse {
        let answer = try await consents.getConsents(
            IdentityV1.GetConsentsRequest(accessToken: try context.requiredAccessToken()),
            context.onward())
        return GatewayV1.GetConsentsResponse(
            consents: answer.consents, isCurrent: answer.isCurrent,
            options: answer.options, parentalConsent: answer.parentalConsent)
    }
}
