import Contracts
import Messages
import RPC

extension OnboardingHandler {
    /// G-18: the account's flag alone, which a backend may have set without any sections.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`.
    func hasCompletedOnboarding(
        _ request: GatewayV1.HasCompletedOnboardingRequest, _ context: CallContext
    ) async throws -> GatewayV1.HasCompletedOnboardingResponse {
        let profile = try await profiles.getProfile(
            IdentityV1.GetProfileRequest(accessToken: try context.requiredAccessToken()),
            context.onward())
        return GatewayV1.HasCompletedOnboardingResponse(
            complete: profile.account?.onboardingComplete ?? false)
    }
}
