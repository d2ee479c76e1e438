import Contracts
import Messages
import RPC

extension EmailsHandler {
    /// G-12: cancels the pending change of the email.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `rpc/invalid-argument`.
    func cancelEmailChange(
        _ request: GatewayV1.CancelEmailChangeRequest, _ context: CallContext
    ) async throws -> GatewayV1.CancelEmailChangeResponse {
        let onward = try context.onward(for: "CancelEmailChange")
        let origin = try Origin.of(request.device, context)
        let answer = try await changes.cancelEmailChange(
            IdentityV1.CancelEmailChangeRequest(
                accessToken: try context.requiredAccessToken(), origin: origin), onward)
        return GatewayV1.CancelEmailChangeResponse(cancelled: answer.cancelled)
    }
}
