import Contracts
import Messages
import RPC
import ServiceRuntime

extension OnboardingHandler {
    /// G-18: has identity check all sections, and write the documents and the account's flag in one
    /// transaction. No limit: a repeat changes nothing, and a person who has filled in all screens
    /// must not be refused at the last one.
    /// - Throws: `auth/document-quota`, `auth/invalid-document`, `auth/account-required`,
    ///   `auth/email-not-verified`, `auth/invalid-access-token`, `auth/session-ended`,
    ///   `auth/user-disabled`, `rpc/invalid-argument`.
    func completeOnboarding(
        _ request: GatewayV1.CompleteOnboardingRequest, _ context: CallContext
    ) async throws -> GatewayV1.CompleteOnboardingResponse {
        let answer = try await onboarding.completeOnboarding(
            IdentityV1.CompleteOnboardingRequest(
                accessToken: try context.requiredAccessToken(),
                origin: try Origin.of(nil, context), acceptLanguage: context.metadata.voice.tag),
            context.onward())
        return GatewayV1.CompleteOnboardingResponse(
            account: answer.account.map { GatewayV1.Account($0, photos) },
            written: answer.written.map(GatewayV1.WrittenDocument.init))
    }
}
