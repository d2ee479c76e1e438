import Contracts
import EmailAddresses
package import Messages
package import RPC
import ServiceRuntime

extension PasswordsHandler {
    /// G-11: limit → have a link mailed. The limit keys on what was typed, before anybody knows whether
    /// there is such an account, and the answer is the same.
    /// - Throws: `auth/invalid-email`, `auth/too-many-requests`.
    package func requestPasswordReset(
        _ request: GatewayV1.RequestPasswordResetRequest, _ context: CallContext
    ) async throws -> GatewayV1.RequestPasswordResetResponse {
        let onward = try context.onward(for: "RequestPasswordReset")
        let origin = try Origin.of(request.device, context)
        // What is no address is nobody's, and costs nothing.
        _ = try EmailAddress.required(request.email)
        _ = try await limits.countingMail(
            .passwordReset(email: request.email, caller: LimitedCaller(context)),
            language: request.language, context, onward
        ) {
            try await credentials.requestPasswordReset(
                IdentityV1.RequestPasswordResetRequest(email: request.email, origin: origin),
                onward)
        }
        return GatewayV1.RequestPasswordResetResponse()
    }
}
