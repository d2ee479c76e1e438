import Contracts
import Messages
import RPC
import ServiceRuntime

extension OnboardingHandler {
    /// G-18: the sections with their drafts, and where to resume.
    /// - Throws: `auth/invalid-access-token`, `auth/session-ended`, `auth/user-disabled`.
    func getOnboarding(
        _ request: GatewayV1.GetOnboardingRequest, _ context: CallContext
    ) async throws -> GatewayV1.GetOnboardingResponse {
        let answer = try await onboarding.getOnboarding(
            IdentityV1.GetOnboardingRequest(
                accessToken: try context.requiredAccessToken(),
                acceptLanguage: context.metadata.voice.tag),
            context.onward())
        return GatewayV1.GetOnboardingResponse(
            sections: answer.sections,
            resumeSection: answer.resumeSection, resumeScreen: answer.resumeScreen,
            complete: answer.complete)
    }
}
