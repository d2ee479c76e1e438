import Contracts
import Messages
import RPC
import ServiceRuntime

extension OnboardingHandler {
    /// G-18: has identity check all sections, and write the documents and the account's flag in one
    /// transaction. It is charged by its work only, which no other screen is: a person who has
    /// filled in all screens must not be refused at the last one.
    /// - Throws: `auth/document-quota`, `auth/invalid-document`, `auth/account-required`,
    ///   `auth/email-not-verified`, `auth/too-many-requests`, `auth/invalid-access-token`,
    ///   `auth/session-ended`, `auth/user-disabled`, `rpc/invalid-argument`.
    func completeOnboarding(
        _ request: GatewayV1.CompleteOnboardingRequest, _ context: CallContext
    ) async throws -> GatewayV1.CompleteOnboardingResponse {
        let origin = try Origin.of(nil, context)
        let session = try await sessions.requiredSession(context)
        let answer = try await limits.paying(1, paid: 0, for: session.accountID, context) { paid in
            try await onboarding.completeOnboarding(
                IdentityV1.CompleteOnboardingRequest(
                    accessToken: session.accessToken, origin: origin,
                    acceptLanguage: context.metadata.voice.tag, paidUnits: paid),
                context.onward())
        }
        return GatewayV1.CompleteOnboardingResponse(
            account: answer.account.map { GatewayV1.Account($0, photos) },
            written: answer.written.map { document in
                GatewayV1.WrittenDocument(
                    collection: document.collection, name: document.name,
                    version: document.version, changedAtMs: document.changedAtMs)
            })
    }
}
