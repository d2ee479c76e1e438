import Contracts
import Messages
import RPC
import ServiceRuntime

extension OnboardingHandler {
    /// G-18: identify the caller's account → charge the limit → have the draft checked and written.
    /// - Throws: `auth/document-conflict`, `auth/document-quota`, `auth/invalid-document`,
    ///   `auth/too-many-requests`, `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/user-disabled`, `auth/idempotency-key-reused`, `rpc/invalid-argument`.
    func saveOnboardingSection(
        _ request: GatewayV1.SaveOnboardingSectionRequest, _ context: CallContext
    ) async throws -> GatewayV1.SaveOnboardingSectionResponse {
        let onward = try context.onward(for: "SaveOnboardingSection")
        let origin = try Origin.of(nil, context)
        let base: IdentityV1.SaveOnboardingSectionRequest.Base? =
            switch request.base {
            case .baseVersion(let version): .baseVersion(version)
            case nil: nil
            }
        let session = try await sessions.requiredSession(context)
        let (answer, _) = try await limits.charging(
            .documentWrite(account: session.accountID), context,
            chargedOnceFor: onward.idempotencyKey
        ) {
            try await onboarding.saveOnboardingSection(
                IdentityV1.SaveOnboardingSectionRequest(
                    accessToken: session.accessToken, section: request.section,
                    json: request.json, screen: request.screen, origin: origin,
                    acceptLanguage: context.metadata.voice.tag, base: base),
                onward)
        }
        return GatewayV1.SaveOnboardingSectionResponse(section: answer.section)
    }
}
