import Contracts
import Messages
import RPC

extension OnboardingHandler {
    /// G-18: identify the caller's account → charge the limit → have the drafts removed.
    /// - Throws: `auth/too-many-requests`, `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/user-disabled`.
    func restartOnboarding(
        _ request: GatewayV1.RestartOnboardingRequest, _ context: CallContext
    ) async throws -> GatewayV1.RestartOnboardingResponse {
        let origin = try Origin.of(nil, context)
        let session = try await sessions.requiredSession(context)
        _ = try await limits.charging(.documentWrite(account: session.accountID), context) {
            try await onboarding.restartOnboarding(
                IdentityV1.RestartOnboardingRequest(
                    accessToken: session.accessToken, origin: origin),
                context.onward())
        }
        return GatewayV1.RestartOnboardingResponse()
    }
}
